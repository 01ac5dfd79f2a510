// Draws the particles where they are: in one buffer of OpenGL. On a GPU its memory is Vulkan's, which CUDA has
// imported, too, and the two take turns by a timeline semaphore; where the driver lacks that, CUDA maps the buffer for
// each frame. On the sim the buffer is mapped for good, and the host waits for the draw.
#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>

#include <array>
#include <optional>

#include "failure.hpp"
#include "graphics_link.hpp"
#include "opengl_context.hpp"
#include "opengl_import.hpp"
#include "program.hpp"
#include "renderer.hpp"
#include "shaders/shaders.hpp"
#include "shared_memory.hpp"

namespace upsweep::apps {
namespace {

GLuint shader_of(GLenum stage, const char* text) {
  const GLuint shader = glCreateShader(stage);
  glShaderSource(shader, 1, &text, nullptr);
  glCompileShader(shader);
  GLint compiled = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
  if (compiled) return shader;
  char words[512] = {};
  glGetShaderInfoLog(shader, sizeof words, nullptr, words);
  fail(exit_code::device, "OpenGL: the driver does not compile a shader: {}", words);
}

class opengl_renderer final : public renderer {
 public:
  opengl_renderer(device_session& session, const renderer_options& o)
      : shares_(session.where() == runtime::backend::cuda),
        context_(shares_ ? std::optional(gpu_of(session)) : std::nullopt),
        layout_(o.capacity),
        options_(o) {
    make_buffer(session);
    make_program();
    make_target();
    glGenQueries(2, queries_.data());
    context_.check("making the pipeline");
  }
  ~opengl_renderer() override {
    static_cast<void>(ends());
    link_.reset();
    glDeleteSync(fence_);
    import_.reset();
  }

  std::string name() const override { return "OpenGL: " + context_.name(); }
  float largest_point() const override {
    std::array<GLfloat, 2> range = {};
    glGetFloatv(GL_POINT_SIZE_RANGE, range.data());
    return range[1];
  }
  void* block() override { return block_; }
  void begin_frame() override {
    if (!import_) finish();
    if (link_) link_->wait(value_);
  }
  void end_frame() override {
    if (link_) link_->signal(++value_);
  }

  void draw(particle_system&, picture* to) override {
    turn_ ^= 1;
    if (import_) import_->wait(value_);
    glBeginQuery(GL_TIME_ELAPSED, queries_[turn_]);
    glClear(GL_COLOR_BUFFER_BIT);
    const auto* const arguments = reinterpret_cast<const void*>(layout_.draw);
    if (options_.sorts) {
      glDrawElementsIndirect(GL_POINTS, GL_UNSIGNED_INT, arguments);
    } else {
      glDrawArraysIndirect(GL_POINTS, arguments);
    }
    glEndQuery(GL_TIME_ELAPSED);
    drawn_ = ++value_;
    if (import_) {
      import_->signal(drawn_);
    } else {
      glDeleteSync(fence_);
      fence_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    }
    glFlush();
    context_.check_not_lost();
    if (to == nullptr) return;
    finish();
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, options_.width, options_.height, GL_RGB, GL_UNSIGNED_BYTE, to->bytes().data());
    context_.check("drawing");
  }

  void finish() override {
    check(waited_for_draws());
    context_.check("drawing");
  }
  bool ends() override { return !context_.is_lost() && waited_for_draws() == wait_end::reached; }

  double draw_ms(std::size_t back) override {
    check(import_ ? shared_->wait_awake(drawn_ - 2 * back) : waited_for_draws());
    GLuint64 nanoseconds = 0;
    glGetQueryObjectui64v(queries_[turn_ ^ back], GL_QUERY_RESULT, &nanoseconds);
    return static_cast<double>(nanoseconds) * 1e-6;
  }

 private:
  wait_end waited_for_draws() const {
    if (import_) return shared_->wait(drawn_);
    if (fence_ == nullptr) return wait_end::reached;
    constexpr GLuint64 ten_seconds = 10'000'000'000;
    const GLenum e = glClientWaitSync(fence_, GL_SYNC_FLUSH_COMMANDS_BIT, ten_seconds);
    if (e == GL_ALREADY_SIGNALED || e == GL_CONDITION_SATISFIED) return wait_end::reached;
    return e == GL_TIMEOUT_EXPIRED ? wait_end::stands_still : wait_end::lost;
  }
  void check(wait_end how) const {
    context_.check_not_lost();
    if (how == wait_end::stands_still) {
      give_up(fmt::format("OpenGL: {} has not drawn a frame in 10 seconds", context_.name()));
    }
    if (how == wait_end::lost) give_up(fmt::format("OpenGL: {}: the device is lost", context_.name()));
  }

  void make_buffer(device_session& session) {
    glCreateBuffers(1, &buffer_);
    constexpr GLbitfield mapped = GL_MAP_WRITE_BIT | GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    const auto bytes = static_cast<GLsizeiptr>(layout_.bytes);
    if (shares_ && opengl_import::is_possible()) {
      if (!opengl_import::draws_on(uuid_of_gpu(session))) {
        fail(exit_code::device, "OpenGL: {} does not have the UUID of the CUDA device", context_.name());
      }
      shared_ = make_shared_memory(session, layout_.bytes);
    }
    if (shared_) {
      import_.emplace(buffer_, shared_->memory_fd(), shared_->bytes(), shared_->timeline_fd());
    } else {
      glNamedBufferStorage(buffer_, bytes, nullptr, shares_ ? 0 : mapped);
      context_.check("allocating the particles");
    }
    if (shares_) {
      link_ = shared_ ? import_from_vulkan(session, shared_->memory_fd(), shared_->bytes(), shared_->timeline_fd())
                      : import_from_opengl(session, buffer_);
      block_ = link_->memory();
    } else {
      block_ = glMapNamedBufferRange(buffer_, 0, bytes, mapped);
    }
    GLuint arrays = 0;
    glCreateVertexArrays(1, &arrays);
    glBindVertexArray(arrays);
    const auto attribute = [&](GLuint i, std::size_t offset, GLsizei stride, GLint components, GLenum type) {
      glVertexArrayVertexBuffer(arrays, i, buffer_, static_cast<GLintptr>(offset), stride);
      glVertexArrayAttribFormat(arrays, i, components, type, type == GL_UNSIGNED_BYTE, 0);
      glVertexArrayAttribBinding(arrays, i, i);
      glEnableVertexArrayAttrib(arrays, i);
    };
    attribute(0, layout_.position, sizeof(vec4f), 4, GL_FLOAT);
    attribute(1, layout_.velocity, sizeof(vec4f), 4, GL_FLOAT);
    attribute(2, layout_.color, 4, 4, GL_UNSIGNED_BYTE);
    static_assert(sizeof(vec4f) == 16);
    glVertexArrayElementBuffer(arrays, buffer_);  // the order begins where the buffer does
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, buffer_);
    glBindBufferRange(GL_UNIFORM_BUFFER, 0, buffer_, static_cast<GLintptr>(layout_.view), sizeof(camera_pose));
  }

  void make_program() {
    const GLuint program = glCreateProgram();
    glAttachShader(program, shader_of(GL_VERTEX_SHADER, particle_vert_text));
    glAttachShader(program, shader_of(GL_FRAGMENT_SHADER, particle_frag_text));
    glLinkProgram(program);
    glUseProgram(program);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, options_.sorts ? GL_ONE_MINUS_SRC_ALPHA : GL_ONE);
    glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
  }

  void make_target() {
    GLuint picture = 0, frame = 0;
    glCreateRenderbuffers(1, &picture);
    glNamedRenderbufferStorage(picture, GL_RGBA8, options_.width, options_.height);
    glCreateFramebuffers(1, &frame);
    glNamedFramebufferRenderbuffer(frame, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, picture);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
      fail(exit_code::device, "OpenGL: {} does not draw on a picture of {} x {}", context_.name(), options_.width,
           options_.height);
    }
    glViewport(0, 0, options_.width, options_.height);
    glClearColor(options_.background.r, options_.background.g, options_.background.b, 1);
  }

  bool shares_;
  opengl_context context_;
  particle_layout layout_;
  renderer_options options_;
  std::unique_ptr<shared_memory> shared_;
  std::optional<opengl_import> import_;  // freed before what it has imported
  std::unique_ptr<graphics_link> link_;
  std::uint64_t value_ = 0, drawn_ = 0;  // drawn_: that of the last draw
  GLsync fence_ = nullptr;               // after it, where no timeline is shared
  GLuint buffer_ = 0;
  std::array<GLuint, 2> queries_ = {};
  std::size_t turn_ = 0;
  void* block_ = nullptr;
};

}  // namespace

std::unique_ptr<renderer> make_opengl_renderer(device_session& session, const renderer_options& o) {
  return std::make_unique<opengl_renderer>(session, o);
}

}  // namespace upsweep::apps

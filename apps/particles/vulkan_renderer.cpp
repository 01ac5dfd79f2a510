// Draws the particles where they are: in one buffer of Vulkan, which the particle system works in. On a GPU the two
// take turns by a timeline semaphore: the frame waits for an even value, signals an odd one, and the draw makes it even
// again. On the sim the buffer is mapped memory of the host, and the host waits.
#include "vulkan_pipeline.hpp"

#include <array>

#include "program.hpp"
#include "vulkan_memory.hpp"

namespace upsweep::apps {
namespace {

class vulkan_renderer final : public renderer {
 public:
  vulkan_renderer(device_session& session, const renderer_options& o)
      : shares_(session.where() == runtime::backend::cuda),
        device_(shares_ ? std::optional<gpu_uuid>(uuid_of_gpu(session)) : std::nullopt),
        layout_(o.capacity),
        size_{static_cast<std::uint32_t>(o.width), static_cast<std::uint32_t>(o.height)},
        options_(o) {
    timeline_ = make_vulkan_timeline(device_, shares_, undo_);
    make_buffer(session);
    make_readback();
    picture_ = make_vulkan_picture(device_, size_, undo_);
    pipeline_ = make_vulkan_pipeline(device_, picture_, size_, buffer_, layout_.view, o.sorts, undo_);
    record();
  }
  ~vulkan_renderer() override {
    // The second wait is for the validation layer, which does not see CUDA's signals.
    if (ends()) static_cast<void>(vkDeviceWaitIdle(device_.get()));
  }

  std::string name() const override { return "Vulkan: " + device_.name(); }
  float largest_point() const override { return device_.largest_point(); }
  void* block() override { return block_; }
  void begin_frame() override {
    if (link_) {
      link_->wait(value_);
    } else {
      finish();
    }
  }
  void end_frame() override {
    if (link_) link_->signal(++value_);
  }

  void draw(particle_system&, picture* to) override {
    turn_ ^= 1;
    const std::uint64_t ready = value_;
    drawn_ = ++value_;
    const VkTimelineSemaphoreSubmitInfo values = {
        VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &ready, 1, &drawn_};
    const VkPipelineStageFlags before = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO,    &values, 1,         &timeline_, &before, 1,
                                 &commands_[turn_][to != nullptr], 1,       &timeline_};
    check_running(vkQueueSubmit(device_.queue(), 1, &submit, VK_NULL_HANDLE), "drawing");
    if (to == nullptr) return;
    finish();
    const auto* const from = static_cast<const std::uint8_t*>(pixels_);
    for (std::size_t i = 0; i < to->bytes().size(); ++i) to->bytes()[i] = from[i / 3 * 4 + i % 3];
  }

  void finish() override {
    check_wait(wait_for(device_, timeline_, drawn_));
    device_.check_messages();
  }
  bool ends() override { return wait_for(device_, timeline_, drawn_) == VK_SUCCESS; }

  double draw_ms(std::size_t back) override {
    check_wait(wait_awake(device_, timeline_, drawn_ - values_a_frame() * back));
    std::array<std::uint64_t, 2> ticks = {};
    check_running(vkGetQueryPoolResults(device_.get(), queries_, first_query(turn_ ^ back), 2, sizeof ticks,
                                        ticks.data(), sizeof ticks[0], VK_QUERY_RESULT_64_BIT),
                  "reading the time of the draw");
    return static_cast<double>(ticks[1] - ticks[0]) * static_cast<double>(device_.nanoseconds_a_tick()) * 1e-6;
  }

 private:
  std::uint64_t values_a_frame() const { return link_ ? 2 : 1; }
  static std::uint32_t first_query(std::size_t turn) { return static_cast<std::uint32_t>(2 * turn); }
  void check_wait(VkResult r) {
    if (r == VK_TIMEOUT) give_up(fmt::format("Vulkan: {} has not drawn a frame in 10 seconds", device_.name()));
    check_running(r, "waiting for the draw");
  }

  void make_buffer(device_session& session) {
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                                     VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
    const vulkan_memory made = make_vulkan_memory(device_, layout_.bytes, usage, shares_, undo_);
    buffer_ = made.buffer;
    if (!shares_) {
      check_vulkan(vkMapMemory(device_.get(), made.memory, 0, VK_WHOLE_SIZE, 0, &block_), "mapping the particles");
      return;
    }
    link_ = import_from_vulkan(session, memory_fd_of(device_, made.memory), made.allocated,
                               timeline_fd_of(device_, timeline_));
    block_ = link_->memory();
  }

  void make_readback() {
    const VkDeviceSize bytes = VkDeviceSize{4} * size_.width * size_.height;
    const vulkan_memory made = make_vulkan_memory(device_, bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, false, undo_);
    readback_ = made.buffer;
    check_vulkan(vkMapMemory(device_.get(), made.memory, 0, VK_WHOLE_SIZE, 0, &pixels_), "mapping the picture");
  }

  /// Two command buffers for each of two turns: one that draws, and one that also copies the picture to the host. The
  /// times of a draw can be read while the next is under way.
  void record() {
    const VkDevice d = device_.get();
    const VkQueryPoolCreateInfo query_info = {
        VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_TIMESTAMP, 4, 0};
    queries_ = make_vulkan(vkCreateQueryPool, vkDestroyQueryPool, d, query_info, "making a query pool", undo_);
    const VkCommandPoolCreateInfo pool_info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0,
                                               device_.queue_family()};
    const VkCommandPool pool =
        make_vulkan(vkCreateCommandPool, vkDestroyCommandPool, d, pool_info, "making a command pool", undo_);
    const VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                              VK_COMMAND_BUFFER_LEVEL_PRIMARY, 4};
    check_vulkan(vkAllocateCommandBuffers(d, &info, commands_[0].data()), "allocating command buffers");
    // A frame may be enqueued before the last is drawn.
    const VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                            VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, nullptr};
    for (const std::size_t i : {0, 1, 2, 3}) {
      const std::size_t turn = i / 2, copies = i % 2;
      const VkCommandBuffer c = commands_[turn][copies];
      check_vulkan(vkBeginCommandBuffer(c, &begin), "recording a draw");
      record_draw(c, first_query(turn));
      if (copies) record_copy(c);
      check_vulkan(vkEndCommandBuffer(c), "recording a draw");
    }
  }

  void record_draw(VkCommandBuffer c, std::uint32_t query) {
    vkCmdResetQueryPool(c, queries_, query, 2);
    vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, queries_, query);
    VkClearValue clear = {};
    clear.color = {{options_.background.r, options_.background.g, options_.background.b, 1}};
    const VkRect2D all = {{0, 0}, size_};
    const VkRenderPassBeginInfo pass = {
        VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, picture_.pass, picture_.framebuffer, all, 1, &clear};
    vkCmdBeginRenderPass(c, &pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_.pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_.layout, 0, 1, &pipeline_.view, 0, nullptr);
    const std::array<VkBuffer, 3> buffers = {buffer_, buffer_, buffer_};
    const std::array<VkDeviceSize, 3> offsets = {layout_.position, layout_.velocity, layout_.color};
    vkCmdBindVertexBuffers(c, 0, 3, buffers.data(), offsets.data());
    if (options_.sorts) {
      vkCmdBindIndexBuffer(c, buffer_, layout_.order, VK_INDEX_TYPE_UINT32);
      vkCmdDrawIndexedIndirect(c, buffer_, layout_.draw, 1, 0);
    } else {
      vkCmdDrawIndirect(c, buffer_, layout_.draw, 1, 0);
    }
    vkCmdEndRenderPass(c);
    vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, query + 1);
  }

  void record_copy(VkCommandBuffer c) {
    VkBufferImageCopy copy = {};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {size_.width, size_.height, 1};
    vkCmdCopyImageToBuffer(c, picture_.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, readback_, 1, &copy);
    const VkMemoryBarrier to_host = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                                     VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, nullptr, 0,
                         nullptr);
  }

  bool shares_;
  vulkan_device device_;
  particle_layout layout_;
  VkExtent2D size_;
  renderer_options options_;
  cleanup undo_;
  std::unique_ptr<graphics_link> link_;  // freed before the memory that it has imported
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::uint64_t value_ = 0, drawn_ = 0;  // drawn_: that of the last draw
  VkBuffer buffer_ = VK_NULL_HANDLE, readback_ = VK_NULL_HANDLE;
  void *block_ = nullptr, *pixels_ = nullptr;
  vulkan_picture picture_ = {};
  vulkan_pipeline pipeline_ = {};
  VkQueryPool queries_ = VK_NULL_HANDLE;
  std::array<std::array<VkCommandBuffer, 2>, 2> commands_ = {};
  std::size_t turn_ = 0;
};

}  // namespace

std::unique_ptr<renderer> make_vulkan_renderer(device_session& session, const renderer_options& o) {
  return std::make_unique<vulkan_renderer>(session, o);
}

}  // namespace upsweep::apps

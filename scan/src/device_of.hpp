// A runtime::device over an executor.
#pragma once

#include <memory>
#include <string>

#include "upsweep/simt/runtime.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

/// `Backend` adds to the executor what the two differ in: its constants and names.
template <class Executor, class Backend>
class device_of final : public device {
 public:
  device_of(Executor executor, Backend back) : executor_(executor), backend_(std::move(back)) {}
  ~device_of() override { backend_.close(); }

  backend where() const override { return Executor::is_sim ? backend::sim : backend::cuda; }
  std::string name() const override { return backend_.name(); }
  std::string architecture() const override { return backend_.architecture(); }
  stream get_stream() override { return {where(), backend_.stream_handle()}; }

  status allocate(void** p, std::size_t bytes) override { return noted(executor().allocate(p, bytes)); }
  status deallocate(void* p) override { return noted(executor().deallocate(p)); }
  status copy(void* to, const void* from, std::size_t bytes) override {
    return noted(executor().copy(to, from, bytes));
  }
  status fill(void* p, unsigned char value, std::size_t bytes) override {
    return noted(executor().fill(p, value, bytes));
  }
  status synchronize() override { return noted(executor().synchronize()); }
  bool has_clusters() override { return executor().has_clusters(); }
  std::size_t free_bytes() override {
    backend_.activate();
    return backend_.free_bytes();
  }

  std::unique_ptr<event> make_event() override {
    auto e = std::make_unique<event_of>();
    if (noted(executor().make_event(e->native)) != status::success) return nullptr;
    e->executor = &executor_;
    return e;
  }
  status record(event& e) override { return noted(executor().record(native(e))); }
  status elapsed_ms(const event& from, const event& to, float& ms) override {
    return noted(executor().elapsed_ms(native(from), native(to), ms));
  }
  std::string message() const override { return backend_.message(last_); }

 private:
  struct event_of final : event {
    typename Executor::event native{};
    Executor* executor = nullptr;
    ~event_of() override {
      if (executor) static_cast<void>(executor->destroy_event(native));
    }
  };
  static auto& native(event& e) { return static_cast<event_of&>(e).native; }
  static const auto& native(const event& e) { return static_cast<const event_of&>(e).native; }

  Executor& executor() {
    backend_.activate();
    return executor_;
  }
  status noted(status s) {
    if (s != status::success) last_ = s;
    return s;
  }

  Executor executor_;
  Backend backend_;
  status last_ = status::success;
};

}  // namespace upsweep::runtime::inline UPSWEEP_ABI

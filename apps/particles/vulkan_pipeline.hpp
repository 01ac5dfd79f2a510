// How particles are drawn by Vulkan: the picture, its pass, and the pipeline.
#pragma once

#include "renderer.hpp"
#include "vulkan_device.hpp"

namespace upsweep::apps {

constexpr VkFormat picture_format = VK_FORMAT_R8G8B8A8_UNORM;

/// The picture that is drawn on, and copied from after the pass.
struct vulkan_picture {
  VkImage image;
  VkRenderPass pass;
  VkFramebuffer framebuffer;
};
vulkan_picture make_vulkan_picture(vulkan_device& device, VkExtent2D size, cleanup& undo);

struct vulkan_pipeline {
  VkPipeline pipeline;
  VkPipelineLayout layout;
  VkDescriptorSet view;
};
/// `view`: where in the buffer the camera_pose lies. `covers`: near particles cover far ones, else light is added up.
vulkan_pipeline make_vulkan_pipeline(vulkan_device& device, const vulkan_picture& on, VkExtent2D size, VkBuffer buffer,
                                     VkDeviceSize view, bool covers, cleanup& undo);

}  // namespace upsweep::apps

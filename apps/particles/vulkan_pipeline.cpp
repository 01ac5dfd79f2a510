#include "vulkan_pipeline.hpp"

#include <array>

#include "shaders/shaders.hpp"

namespace upsweep::apps {
namespace {

VkPipelineShaderStageCreateInfo stage_of(VkShaderStageFlagBits stage, vulkan_device& device, const std::uint32_t* code,
                                         std::size_t bytes, cleanup& undo) {
  const VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, bytes, code};
  const VkShaderModule shader =
      make_vulkan(vkCreateShaderModule, vkDestroyShaderModule, device.get(), info, "making a shader", undo);
  return {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, stage, shader, "main", nullptr};
}

VkRenderPass make_pass(vulkan_device& device, cleanup& undo) {
  VkAttachmentDescription color = {};
  color.format = picture_format;
  color.samples = VK_SAMPLE_COUNT_1_BIT;
  color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  color.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  color.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  color.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  color.finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass = {};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &reference;
  // The copy of the last picture comes before, that of this one after.
  constexpr VkPipelineStageFlags draws = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                 copies = VK_PIPELINE_STAGE_TRANSFER_BIT;
  constexpr VkAccessFlags writes = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, mixes = VK_ACCESS_COLOR_ATTACHMENT_READ_BIT,
                          is_copied = VK_ACCESS_TRANSFER_READ_BIT;
  const std::array<VkSubpassDependency, 2> order = {
      {{VK_SUBPASS_EXTERNAL, 0, copies, draws, is_copied, writes | mixes, 0},
       {0, VK_SUBPASS_EXTERNAL, draws, copies, writes, is_copied, 0}}};
  const VkRenderPassCreateInfo info = {
      VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, nullptr, 0, 1, &color, 1, &subpass, order.size(), order.data()};
  return make_vulkan(vkCreateRenderPass, vkDestroyRenderPass, device.get(), info, "making a render pass", undo);
}

/// The uniform block, and the set that names its place in the buffer.
void make_view(vulkan_device& device, VkBuffer buffer, VkDeviceSize view, vulkan_pipeline& p, cleanup& undo) {
  const VkDevice d = device.get();
  const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT,
                                                nullptr};
  const VkDescriptorSetLayoutCreateInfo set_info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 1,
                                                    &binding};
  const VkDescriptorSetLayout set = make_vulkan(vkCreateDescriptorSetLayout, vkDestroyDescriptorSetLayout, d, set_info,
                                                "making a descriptor set", undo);
  const VkPipelineLayoutCreateInfo layout_info = {
      VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &set, 0, nullptr};
  p.layout =
      make_vulkan(vkCreatePipelineLayout, vkDestroyPipelineLayout, d, layout_info, "making a pipeline layout", undo);
  const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1};
  const VkDescriptorPoolCreateInfo pool_info = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 1, 1, &size};
  const VkDescriptorPool pool =
      make_vulkan(vkCreateDescriptorPool, vkDestroyDescriptorPool, d, pool_info, "making a descriptor pool", undo);
  const VkDescriptorSetAllocateInfo allocation = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 1,
                                                  &set};
  check_vulkan(vkAllocateDescriptorSets(d, &allocation, &p.view), "allocating a descriptor set");
  const VkDescriptorBufferInfo place = {buffer, view, sizeof(camera_pose)};
  VkWriteDescriptorSet write = {};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = p.view;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  write.pBufferInfo = &place;
  vkUpdateDescriptorSets(d, 1, &write, 0, nullptr);
}

}  // namespace

vulkan_picture make_vulkan_picture(vulkan_device& device, VkExtent2D size, cleanup& undo) {
  const VkDevice d = device.get();
  vulkan_picture p = {};
  p.pass = make_pass(device, undo);
  VkImageCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = picture_format;
  info.extent = {size.width, size.height, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  p.image = make_vulkan(vkCreateImage, vkDestroyImage, d, info, "making the picture", undo);
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(d, p.image, &needs);
  const VkDeviceMemory memory = device.allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, nullptr, undo);
  check_vulkan(vkBindImageMemory(d, p.image, memory, 0), "making the picture");
  VkImageViewCreateInfo view_info = {};
  view_info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  view_info.image = p.image;
  view_info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view_info.format = picture_format;
  view_info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  const VkImageView view =
      make_vulkan(vkCreateImageView, vkDestroyImageView, d, view_info, "making a view of the picture", undo);
  const VkFramebufferCreateInfo frame = {
      VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, p.pass, 1, &view, size.width, size.height, 1};
  p.framebuffer = make_vulkan(vkCreateFramebuffer, vkDestroyFramebuffer, d, frame, "making a framebuffer", undo);
  return p;
}

vulkan_pipeline make_vulkan_pipeline(vulkan_device& device, const vulkan_picture& on, VkExtent2D size, VkBuffer buffer,
                                     VkDeviceSize view, bool covers, cleanup& undo) {
  vulkan_pipeline p = {};
  make_view(device, buffer, view, p, undo);
  const std::array<VkPipelineShaderStageCreateInfo, 2> stages = {
      stage_of(VK_SHADER_STAGE_VERTEX_BIT, device, particle_vert, sizeof particle_vert, undo),
      stage_of(VK_SHADER_STAGE_FRAGMENT_BIT, device, particle_frag, sizeof particle_frag, undo)};
  const std::array<VkVertexInputBindingDescription, 3> arrays = {{{0, sizeof(vec4f), VK_VERTEX_INPUT_RATE_VERTEX},
                                                                  {1, sizeof(vec4f), VK_VERTEX_INPUT_RATE_VERTEX},
                                                                  {2, 4, VK_VERTEX_INPUT_RATE_VERTEX}}};
  const std::array<VkVertexInputAttributeDescription, 3> attributes = {{{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                                        {1, 1, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                                        {2, 2, VK_FORMAT_R8G8B8A8_UNORM, 0}}};
  VkPipelineVertexInputStateCreateInfo vertices = {};
  vertices.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
  vertices.vertexBindingDescriptionCount = arrays.size();
  vertices.pVertexBindingDescriptions = arrays.data();
  vertices.vertexAttributeDescriptionCount = attributes.size();
  vertices.pVertexAttributeDescriptions = attributes.data();
  const VkPipelineInputAssemblyStateCreateInfo points = {VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                         nullptr, 0, VK_PRIMITIVE_TOPOLOGY_POINT_LIST, VK_FALSE};
  const VkViewport viewport = {0, 0, static_cast<float>(size.width), static_cast<float>(size.height), 0, 1};
  const VkRect2D scissor = {{0, 0}, size};
  const VkPipelineViewportStateCreateInfo window = {
      VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, nullptr, 0, 1, &viewport, 1, &scissor};
  VkPipelineRasterizationStateCreateInfo raster = {};
  raster.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo samples = {};
  samples.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineColorBlendAttachmentState mix = {};
  mix.blendEnable = VK_TRUE;
  mix.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
  mix.dstColorBlendFactor = covers ? VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA : VK_BLEND_FACTOR_ONE;
  mix.colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT;
  VkPipelineColorBlendStateCreateInfo blend = {};
  blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  blend.attachmentCount = 1;
  blend.pAttachments = &mix;
  VkGraphicsPipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.stageCount = stages.size();
  info.pStages = stages.data();
  info.pVertexInputState = &vertices;
  info.pInputAssemblyState = &points;
  info.pViewportState = &window;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pColorBlendState = &blend;
  info.layout = p.layout;
  info.renderPass = on.pass;
  check_vulkan(vkCreateGraphicsPipelines(device.get(), VK_NULL_HANDLE, 1, &info, nullptr, &p.pipeline),
               "making the pipeline");
  undo.add([d = device.get(), made = p.pipeline] { vkDestroyPipeline(d, made, nullptr); });
  return p;
}

}  // namespace upsweep::apps

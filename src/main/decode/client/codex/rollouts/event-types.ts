/** Events that only repeat items, report progress, or hold the client's own settings. */
export const SILENT_EVENTS: ReadonlySet<string> = new Set(
  `agent_message agent_message_content_delta agent_message_delta agent_reasoning agent_reasoning_delta
   agent_reasoning_raw_content agent_reasoning_raw_content_delta agent_reasoning_section_break
   apply_patch_approval_request background_event collab_agent_interaction_begin collab_agent_interaction_end
   collab_agent_spawn_begin collab_close_begin collab_close_end collab_resume_begin collab_resume_end
   collab_waiting_begin collab_waiting_end context_compacted conversation_path deprecation_notice
   dynamic_tool_call_request dynamic_tool_call_response elicitation_request entered_review_mode exec_approval_request
   exec_command_begin exec_command_output_delta exited_review_mode get_history_entry_response guardian_assessment
   guardian_warning hook_completed hook_started image_generation_begin image_generation_end item_started
   list_custom_prompts_response list_skills_response mcp_list_tools_response mcp_startup_complete mcp_startup_update
   mcp_tool_call_begin model_reroute model_verification patch_apply_begin patch_apply_updated plan_delta plan_update
   raw_response_item reasoning_content_delta reasoning_raw_content_delta request_permissions request_user_input
   safety_buffering session_configured shutdown_complete skills_update_available stream_error terminal_interaction
   thread_goal_updated thread_settings_applied turn_diff turn_moderation_metadata undo_completed undo_started
   view_image_tool_call warning web_search_begin web_search_end`
    .trim()
    .split(/\s+/),
)

/** Items that are not part of the conversation: the client's own, and copies from another thread. */
export const SILENT_ITEMS: ReadonlySet<string> = new Set([
  'additional_tools',
  'agent_message',
  'compaction',
  'compaction_summary',
  'compaction_trigger',
  'context_compaction',
  'ghost_snapshot',
  'other',
])

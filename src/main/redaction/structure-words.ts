import { EVENT_KINDS, EVENT_SOURCES, REQUEST_KINDS } from '../../shared/event.ts'

/**
 * Field names and values that events are made of. A user's pattern that matches one (`text`, `user`) must not break the
 * event, and none of them is a secret.
 */
export const STRUCTURE: ReadonlySet<string> = new Set([
  ...EVENT_KINDS,
  ...EVENT_SOURCES,
  ...REQUEST_KINDS,
  ...`text thinking signature type role user assistant system content name input output id tool_use tool_result
  tool_use_id server_tool_use message_id index call_id tool_name is_error rejected media media_type bytes hash image
  document base64 source data start startup resume clear compact fork unknown model client_version git_branch reason
  prompt_id seen_in_history exchange_id request_kind method path headers request message_count body_bytes retry_of base
  keep add tools parameters cache_control mark_order blocks plain framed signature_only withheld citations server_side detail usage
  input_tokens output_tokens cache_read_input_tokens cache_creation_input_tokens cache_creation_1h_input_tokens
  thinking_tokens web_search_requests service_tier speed inference_geo basis measured lower_bound ttft_ms iterations
  status stop_reason stop_details streamed cut_by client upstream end_turn max_tokens stop_sequence pause_turn refusal
  last_text limits trigger manual auto summary tokens_before tokens_after agent_id agent_type parent_agent_id tasks
  subject level origin stream connection capture message body retry_after_s what raw from to value duration_ms success
  error_message tags`.split(/\s+/),
])

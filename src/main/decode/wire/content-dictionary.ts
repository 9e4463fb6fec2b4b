const BETAS = [
  'claude-code-20250219',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'oauth-2025-04-20',
  'prompt-caching-scope-2026-01-05',
]
const CACHED = { type: 'ephemeral', ttl: '1h' }

/** The payload of a request of Codex. */
function codexRequest(): object {
  return {
    exchange_id: '01a2',
    request_kind: 'loop',
    method: 'POST',
    path: '/backend-api/codex/responses',
    model: 'gpt-5.3-codex',
    headers: [
      ['version', '0.104.0'],
      ['openai-beta', 'responses=experimental'],
      ['x-codex-beta-features', ''],
      ['x-codex-turn-state', ''],
      ['x-codex-turn-metadata', '{"turn_id":"","sandbox":"none","request_kind":"turn"}'],
      ['session-id', '01a2'],
      ['thread-id', '01a2'],
      ['accept', 'text/event-stream'],
      ['content-type', 'application/json'],
      ['user-agent', 'codex_cli_rs/0.104.0 (Debian 12.0.0; x86_64) xterm-256color'],
      ['originator', 'codex_cli_rs'],
    ],
    request: {
      parameters: {
        tool_choice: 'auto',
        parallel_tool_calls: true,
        reasoning: { effort: 'medium', summary: 'auto' },
        store: false,
        stream: true,
        include: ['reasoning.encrypted_content'],
        prompt_cache_key: '01a2',
        text: { verbosity: 'medium' },
      },
      instructions: { $content: '' },
    },
  }
}

/** The payload of an answer to Codex. */
function codexResponse(): object {
  return {
    exchange_id: '01a2',
    message_id: 'resp_0',
    model: 'gpt-5.3-codex',
    headers: [
      ['x-codex-plan-type', 'plus'],
      ['x-codex-primary-used-percent', '1'],
      ['x-codex-primary-window-minutes', '300'],
      ['x-codex-primary-reset-at', '17'],
      ['x-codex-primary-reset-after-seconds', '1'],
      ['x-codex-secondary-used-percent', '1'],
      ['x-codex-secondary-window-minutes', '10080'],
      ['x-codex-secondary-reset-at', '17'],
      ['x-codex-secondary-reset-after-seconds', '1'],
      ['x-codex-credits-has-credits', 'False'],
      ['openai-processing-ms', '1'],
      ['x-request-id', ''],
    ],
  }
}

/** The payload of an answer to Claude Code. */
function response(): object {
  const limits: readonly (readonly [string, string])[] = [
    ['status', 'allowed'],
    ['5h-status', 'allowed'],
    ['5h-reset', '17'],
    ['5h-utilization', '0.1'],
    ['7d-status', 'allowed_warning'],
    ['7d-reset', '17'],
    ['7d-utilization', '0.1'],
    ['representative-claim', 'five_hour'],
    ['fallback-percentage', '0.5'],
    ['reset', '17'],
    ['overage-disabled-reason', 'org_level_disabled'],
    ['overage-status', 'rejected'],
  ]
  return {
    exchange_id: '01a2',
    message_id: 'msg_01',
    model: 'claude-opus-4-8',
    status: 200,
    stop_reason: 'tool_use',
    asked: {
      model: 'claude-opus-4-8',
      betas: BETAS,
      effort: null,
      speed: null,
      service_tier: null,
      inference_geo: null,
      cache_ttl: '1h',
    },
    served: { speed: null, service_tier: 'standard', inference_geo: 'not_available', cache_ttl: '1h' },
    streamed: true,
    cut_by: null,
    ttft_ms: 1,
    headers: [
      ['Date', 'Mon, 01 Jan 2026 00:00:00 GMT'],
      ['Content-Type', 'text/event-stream; charset=utf-8'],
      ['Transfer-Encoding', 'chunked'],
      ...limits.map(([name, value]) => [`anthropic-ratelimit-unified-${name}`, value]),
      ['request-id', 'req_011C'],
      ['Server', 'cloudflare'],
      ['x-envoy-upstream-service-time', '1'],
      ['Content-Encoding', 'gzip'],
      ['CF-RAY', '-FRA'],
    ],
    body_bytes: 1,
  }
}

/** The payload of a request of Claude Code. */
function request(): object {
  return {
    exchange_id: '01a2',
    request_kind: 'loop',
    method: 'POST',
    path: '/v1/messages?beta=true',
    model: 'claude-opus-4-8',
    headers: [
      ['accept', 'application/json'],
      ['x-stainless-retry-count', '0'],
      ['x-stainless-timeout', '600'],
      ['x-stainless-lang', 'js'],
      ['x-stainless-package-version', '0.70.0'],
      ['x-stainless-os', 'Linux'],
      ['x-stainless-os', 'MacOS'],
      ['x-stainless-arch', 'arm64'],
      ['x-stainless-arch', 'x64'],
      ['x-stainless-runtime', 'node'],
      ['x-stainless-runtime-version', 'v24.3.0'],
      ['anthropic-version', '2023-06-01'],
      ['x-app', 'cli'],
      ['user-agent', 'claude-cli/2.1.330 (external, cli)'],
      ['content-type', 'application/json'],
      ['anthropic-beta', BETAS.join(',')],
      ['x-claude-code-session-id', ''],
      ['accept-encoding', 'gzip, deflate, br, zstd'],
      ['content-length', '1'],
    ],
    request: {
      base: '01a2',
      keep: 1,
      add: [
        { role: 'assistant', blocks: [''] },
        { role: 'user', blocks: [''] },
      ],
      system: { $content: '', json: true },
      tools: { $content: '', json: true },
      parameters: {
        model: 'claude-opus-4-8',
        max_tokens: 32_000,
        stream: true,
        thinking: { type: 'enabled', budget_tokens: 31_999 },
        metadata: { user_id: '[redacted:user-id:' },
        output_config: { effort: 'high' },
        context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      },
      cache_control: {
        '/system/1/cache_control': CACHED,
        '/system/2/cache_control': CACHED,
        '/messages/1/content/0/cache_control': CACHED,
      },
    },
    message_count: 1,
    body_bytes: 1,
    retry_of: null,
    unproven_sender: true,
    shape: {
      base: '01a2',
      keep: 1,
      add: [
        {
          role: 'assistant',
          blocks: [
            { hash: '', kind: 'thinking', bytes: 1, tokens: 1 },
            { hash: '', kind: 'text', bytes: 1, tokens: 1 },
            { hash: '', kind: 'tool_use', bytes: 1, tokens: 1, tool: 'Bash', call: 'toolu_01', name: '/home/' },
          ],
        },
        { role: 'user', blocks: [{ hash: '', kind: 'tool_result', bytes: 1, tokens: 1, call: 'toolu_01' }] },
      ],
      marks: {
        '/system/1/cache_control': CACHED,
        '/system/2/cache_control': CACHED,
        '/messages/1/content/0/cache_control': CACHED,
      },
      betas: BETAS,
      speed: null,
      parameters: { thinking: { type: 'enabled', budget_tokens: 31_999 }, effort: 'high' },
      previous_message: null,
      asks_why: false,
    },
  }
}

/**
 * A dictionary for zstd, as raw content: text that most request and response payloads share. With it they take about a
 * third of the space.
 *
 * A stored frame refers to these bytes by their distance from the end. So new entries go before the first one, and none
 * may change: otherwise stored frames become unreadable. Entries near the end cost the fewest bytes. A frame that was
 * compressed without a dictionary is read the same way with this one.
 */
export const CONTENT_DICTIONARY: Uint8Array = Buffer.from(
  [codexRequest(), codexResponse(), response(), request()].map((payload) => JSON.stringify(payload)).join('\n'),
)

/** Sections and settings that a running app can change; the others wait for its next start. */
const NOW = new Set([
  'app.theme',
  'lifestats.store_thinking',
  'lifestats.store_tool_io',
  'lifestats.max_thinking_size',
  'lifestats.max_prompt_size',
  'redaction',
  'filter',
  'processors',
  'session_log',
  'notices',
  'budgets',
])

/** Whether a change of a setting (`section.name`) applies at once. */
export function appliesNow(key: string): boolean {
  return NOW.has(key) || NOW.has(key.split('.')[0] ?? '')
}

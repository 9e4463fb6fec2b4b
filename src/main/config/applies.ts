/** Sections and settings that a running app can apply. The others need a restart. */
const NOW = new Set([
  'app.theme',
  'app.show_images',
  'app.close_to_tray',
  'app.recall_shortcut',
  'app.start_at_login',
  'app.update_url',
  'lifestats.store_thinking',
  'lifestats.store_tool_io',
  'lifestats.max_thinking_size',
  'lifestats.max_prompt_size',
  'lifestats.retention_days',
  'lifestats.archive_days',
  'lifestats.delete_days',
  'files',
  'redaction',
  'filter',
  'processors',
  'session_log',
  'metrics',
  'webhook',
  'otel',
  'team',
  'notices',
  'budgets',
  'guard',
])

/** Returns whether a change of a setting (`section.name`) applies immediately. */
export const appliesNow = (key: string): boolean => NOW.has(key) || NOW.has(key.split('.')[0] ?? '')

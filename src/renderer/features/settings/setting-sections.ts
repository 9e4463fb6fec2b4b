/** Sections that most people look for, in the order of the page. */
export const COMMON = {
  lifestats: 'Recording',
  redaction: 'Secrets',
  budgets: 'Budgets',
  guard: 'Guard',
  notices: 'Notices',
  app: 'Window and API',
  filter: 'Filter',
} as const
/** Sections that few people change. */
export const ADVANCED = {
  proxy: 'Proxy',
  transcripts: 'Transcripts',
  files: 'Files',
  team: 'Team',
  pricing: 'Prices',
  limits: 'Limits',
  processors: 'Plugins',
  session_log: 'Session logs',
  metrics: 'Metrics',
  webhook: 'Webhook',
  otel: 'OpenTelemetry',
} as const

import type { EventKind } from '../../../shared/event.ts'
import { capName, isCap } from '../../../shared/guard-action-text.ts'
import { KIND_LOOKS } from '../../components/event-kind.tsx'
import { THEME_LABELS } from '../../lib/theme.ts'

/** Plain names of settings. A setting that is missing here is named by its key. */
const LABELS: Readonly<Record<string, string>> = {
  'proxy.port': 'Proxy port',
  'proxy.upstream': 'API address',
  'proxy.tunnel_port': 'Port of full mode',
  'proxy.intercept_hosts': 'Hosts that full mode records',
  'proxy.upstreams': 'Addresses of other APIs',
  'proxy.websockets': 'WebSocket connections',
  'proxy.max_queue_bytes': 'Memory for traffic that waits to be recorded',
  'app.port': 'Port of the window and API',
  'app.allowed_hosts': 'Additional host names',
  'app.theme': 'Default theme',
  'app.close_to_tray': 'Keep recording when the window is closed',
  'app.recall_shortcut': 'Global shortcut for Recall',
  'app.update_url': 'Update address',
  'lifestats.enabled': 'Record',
  'lifestats.db_path': 'Database file',
  'lifestats.store_tool_io': 'Store tool inputs and outputs',
  'lifestats.max_thinking_size': 'Longest stored thinking',
  'lifestats.max_prompt_size': 'Longest stored prompt',
  'lifestats.retention_days': 'Archive heavy data after',
  'lifestats.archive_days': 'Delete archives after',
  'lifestats.delete_days': 'Delete inactive sessions after',
  'redaction.enabled': 'Remove secrets',
  'redaction.mask_emails': 'Remove email addresses',
  'redaction.mask_home': 'Hide the home folder',
  'redaction.keyword_rules': 'Remove text after words like password',
  'redaction.patterns': 'Your own patterns',
  'redaction.pattern_timeout_ms': 'Time limit of your patterns',
  'redaction.text_timeout_ms': 'Time limit of the built-in rules',
  'filter.drop_kinds': 'Do not record',
  'filter.drop_projects': 'Projects not to record',
  'filter.drop_agents': 'Subagents not to record',
  'filter.drop_tools': 'Tools not to record',
  'filter.drop_texts': 'Texts not to record',
  'filter.sample': 'Share of events to record',
  'pricing.models': 'Your own prices',
  'limits.accounts': 'Names of accounts',
  'processors.modules': 'Processors',
  'processors.timeout_ms': 'Time limit of a processor',
  'session_log.enabled': 'Write session logs',
  'session_log.max_file_bytes': 'Largest file',
  'session_log.compress': 'Compression',
  'session_log.retention_days': 'Delete logs after',
  'session_log.max_total_bytes': 'Maximum size of all logs',
  'metrics.enabled': 'Serve metrics',
  'webhook.url': 'Webhook address',
  'webhook.secret_file': 'File with the secret',
  'webhook.kinds': 'Kinds to send',
  'webhook.projects': 'Projects to send',
  'webhook.batch_size': 'Events in a request',
  'webhook.interval_ms': 'Time between requests',
  'webhook.timeout_ms': 'Time limit of a request',
  'webhook.max_waiting': 'Maximum events waiting',
  'otel.endpoint': 'Collector address',
  'otel.content': 'Send texts',
  'otel.headers_file': 'File with headers',
  'otel.max_waiting': 'Maximum traces waiting',
  'team.url': 'Team server',
  'team.policy': 'What is sent',
  'team.projects': 'Rules for projects',
  'team.exclude': 'Sessions not to send',
  'notices.after_compaction': 'Tell the model after a compaction',
  'notices.budget_reached': 'Budgets and limits',
  'notices.capture_stopped': 'Recording stopped',
  'notices.client_waits': 'A client waits for you',
  'notices.long_turn_minutes': 'Long turns',
  'budgets.daily_usd': 'Budget per day',
  'budgets.weekly_usd': 'Budget per week',
  'budgets.monthly_usd': 'Budget per month',
  'budgets.projects': 'Budgets of projects',
  'guard.when_away': 'While Aspy is down',
  'guard.action': 'When a cap is reached',
  'guard.hold_seconds': 'Wait for your decision',
  'guard.strict': 'Assume the longest answer',
  'guard.fail_open': 'Let requests pass if the guard fails',
  'guard.decide_ms': 'Time limit of a decision',
  'guard.projects': 'Caps of projects',
  'transcripts.folders': 'Additional folders of Claude Code',
  'transcripts.codex_folders': 'Additional folders of Codex',
  'transcripts.follow': 'Keep importing new lines',
}

/** Plain names of columns, by setting or for all settings. Others are named by their words. */
const COLUMNS: Readonly<Record<string, string>> = {
  project: 'Project folder',
  cache_write_5m: 'Cache write, 5 min',
  cache_write_1h: 'Cache write, 1 h',
  'pricing.models.from': 'From this day on',
  'processors.modules.path': 'File',
  'processors.modules.options': 'Options, as JSON',
  'team.projects.name': 'Name in the team',
  'team.projects.shared': 'Others may read it',
  'filter.sample.key': 'Kind of event',
  'filter.sample.value': 'Share, 0 to 1',
  'limits.accounts.key': 'Account',
  'limits.accounts.value': 'Name',
  'proxy.upstreams.openai': 'OpenAI, with an API key',
  'proxy.upstreams.chatgpt': 'ChatGPT login',
}

/** Returns the plain name of a column of a setting: `Budget per day`. */
export const columnLabel = (key: string, column: string): string =>
  COLUMNS[`${key}.${column}`] ?? COLUMNS[column] ?? settingLabel(`${key.split('.')[0] ?? ''}.${column}`)

/** Choices in words, by setting. Others are written as they are. */
const OPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'guard.action': {
    notify: 'Send the request, and report it',
    hold: 'Wait for my decision',
    refuse: 'Refuse the request',
  },
  'guard.when_away': { pass: 'Send requests, unrecorded', refuse: 'Refuse requests' },
  'proxy.websockets': { relay: 'Forward and record', refuse: 'Refuse' },
  'team.policy': { off: 'Nothing', metadata: 'Times and figures, no texts', full: 'Texts too' },
  'session_log.compress': { none: 'None' },
  'app.theme': THEME_LABELS,
}

/** Returns a choice of a setting in words. */
export function optionLabel(key: string, option: string): string {
  const known = OPTIONS[key === 'team.projects' ? 'team.policy' : key]?.[option]
  return known ?? KIND_LOOKS[option as EventKind]?.label ?? option
}

/** Returns the plain name of a setting: `Store thinking`. */
export function settingLabel(key: string): string {
  const known = LABELS[key]
  if (known !== undefined) return known
  const name = key.startsWith('guard.') ? key.slice('guard.'.length) : ''
  if (isCap(name)) return capitalized(capName(name))
  const words = key.split('.').slice(1).join(' ').replaceAll('_', ' ')
  return capitalized(words)
}

const capitalized = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`

import type { Command } from 'commander'
import { nearestName } from '../../shared/nearest-name.ts'

/** What people call commands by other names. */
const SYNONYMS: { readonly [word: string]: string } = {
  cost: 'receipt',
  costs: 'receipt',
  usage: 'receipt',
  spend: 'receipt',
  price: 'receipt',
  prices: 'receipt',
  demo: '--demo',
  bill: 'receipt',
  today: 'receipt --since today',
  tokens: 'stats',
  cap: 'guard',
  caps: 'guard',
  ps: 'status',
  disable: 'off',
  enable: 'setup',
  search: 'recall',
  find: 'recall',
  grep: 'recall',
  list: 'sessions',
  ls: 'sessions',
  history: 'sessions',
  projects: 'stats',
  models: 'stats',
  info: 'status',
  prompts: 'recent',
  events: 'recent',
  log: 'recent',
  logs: 'recent',
  watch: 'open',
  dashboard: 'open',
  record: 'run',
  claude: 'run -- claude',
  codex: 'run -- codex',
  share: 'export --format html',
  page: 'export --format html',
  remove: 'delete',
  rm: 'delete',
  forget: 'delete',
  settings: 'config',
  version: '--version',
  show: 'session',
  start: 'serve',
  quit: 'stop',
  kill: 'stop',
  init: 'setup',
  install: 'setup',
  uninstall: 'setup --undo',
  undo: 'setup --undo',
  login: 'team join',
  connect: 'setup',
  disconnect: 'off',
  suggest: 'advise',
  pause: 'off',
  notices: 'config get notices',
  notifications: 'config get notices',
  budgets: 'budget',
  health: 'doctor',
}

/** Describes an unknown command, and the one that was probably meant. */
export function unknownCommand(program: Command, typed: string): string {
  const nearest =
    SYNONYMS[typed.toLowerCase()] ??
    nearestName(
      typed,
      program.commands.map((command) => command.name()),
    )
  const advice = nearest === null ? 'run aspy --help for a list' : `did you mean "${nearest}"?`
  return `unknown command "${typed}"; ${advice}`
}

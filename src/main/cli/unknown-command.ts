import type { Command } from 'commander'
import { nearestName } from '../../shared/nearest-name.ts'

/** Commands, and what people call them by other names. */
const OTHER_NAMES: { readonly [command: string]: string } = {
  receipt: 'cost costs usage spend price prices bill',
  'receipt --since today': 'today',
  '--demo': 'demo',
  '--version': 'version',
  stats: 'tokens projects models',
  guard: 'cap caps',
  status: 'ps info',
  off: 'disable disconnect pause',
  setup: 'enable init install connect',
  'setup --undo': 'uninstall undo',
  recall: 'search find grep',
  sessions: 'list ls history',
  session: 'show',
  recent: 'prompts events log logs',
  open: 'watch dashboard',
  run: 'record',
  'run -- claude': 'claude',
  'run -- codex': 'codex',
  'export --format html': 'share page',
  delete: 'remove rm forget',
  config: 'settings',
  'config get notices': 'notices notifications',
  budget: 'budgets',
  serve: 'start',
  stop: 'quit kill',
  'team join': 'login',
  advise: 'suggest',
  doctor: 'health',
}

/** Describes an unknown command, and the one that was probably meant. */
export function unknownCommand(program: Command, typed: string): string {
  const own = program.commands.map((command) => command.name())
  const [other] = Object.entries(OTHER_NAMES).find(([, words]) => words.split(' ').includes(typed.toLowerCase())) ?? []
  const nearest = other ?? nearestName(typed, own)
  const advice = nearest === null ? 'run aspy --help for a list' : `did you mean "${nearest}"?`
  return `unknown command "${typed}"; ${advice}`
}

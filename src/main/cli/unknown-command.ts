import type { Command } from 'commander'
import { nearestName } from '../../shared/nearest-name.ts'

/** Commands, and what people call them by other names. */
const OTHER_NAMES: { readonly [command: string]: string } = {
  receipt: 'cost costs usage spend price prices bill money',
  'receipt --since today': 'today',
  '--demo': 'demo',
  '--version': 'version',
  stats: 'tokens projects models agents top overview',
  guard: 'cap caps',
  status: 'ps info where path data whoami',
  off: 'disable disconnect pause down',
  setup: 'enable init install connect plugin hooks',
  'setup --undo': 'uninstall undo',
  recall: 'search find grep query ask',
  sessions: 'list ls history',
  session: 'show view cat',
  recent: 'prompts events log logs tail',
  open: 'watch dashboard live ui web gui window app',
  run: 'record',
  'run -- claude': 'claude',
  'run -- codex': 'codex',
  'export --format html': 'share page',
  delete: 'remove rm forget',
  config: 'settings',
  'config set KEY VALUE': 'set',
  'config get KEY': 'get',
  'config get notices': 'notices notifications',
  budget: 'budgets',
  serve: 'start up',
  stop: 'quit kill exit',
  'team join': 'login',
  advise: 'suggest tips',
  doctor: 'health check test',
  'doctor --fix': 'fix repair',
  limits: 'limit quota',
  report: 'bug feedback issue',
  resume: 'continue summary summarize',
  export: 'dump save',
  import: 'load',
  trace: 'explain why',
  carry: 'context',
  dropped: 'compact compactions',
  vacuum: 'clean gc prune',
  remember: 'memory memories note',
  '--help': 'docs man',
}

/** Describes an unknown command, and the one that was probably meant. */
export function unknownCommand(program: Command, typed: string): string {
  const own = program.commands.map((command) => command.name())
  const [other] = Object.entries(OTHER_NAMES).find(([, words]) => words.split(' ').includes(typed.toLowerCase())) ?? []
  const nearest = other ?? nearestName(typed, own, typed.length < 5 ? 1 : undefined)
  const advice = nearest === null ? 'run aspy --help for a list' : `did you mean "${nearest}"?`
  return `unknown command "${typed}"; ${advice}`
}

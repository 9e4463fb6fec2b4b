import type { Command, Option } from 'commander'
import { createProgram } from '../../src/main/cli/program.ts'
import { toErrorAnswer } from '../../src/shared/contract/errors.ts'
import type { StoredFacts } from './stored-facts.ts'

/** The words of a command and its output. */
export interface PrintedAnswer {
  readonly input: readonly string[]
  readonly answer: unknown
}

/** Flags that change data, name a file or need a team. */
const LEFT_OUT = new Set(['--team', '--add', '--confirms', '--confidence', '--forget', '--compare'])
/** Commands that read but have no `--team`, by which the others are recognized. */
const FURTHER = ['guard', 'config', 'export']

/** Runs the reading commands in this process, with `--json`, against the app that serves a folder. */
export async function* recordCommands(dataDir: string, facts: StoredFacts): AsyncGenerator<PrintedAnswer> {
  for (const command of createProgram().commands) {
    const flags = command.options.map(({ long }) => long)
    if (!flags.includes('--team') && !FURTHER.includes(command.name())) continue
    const json = flags.includes('--json') ? ['--json'] : []
    for (const words of commandLines(command, facts)) {
      yield { input: words, answer: await printedBy([...words, ...json, '--data', dataDir]) }
    }
  }
}

/** Returns a command alone, and with each of its flags. */
function commandLines(command: Command, facts: StoredFacts): readonly (readonly string[])[] {
  const first = (fact: string): string => String(facts.get(fact)?.[0] ?? `no-${fact}`)
  const [query, time] = [first('query'), first('time')]
  const argument: Readonly<Record<string, string>> = { id: first('session_id'), event: first('exchange'), query }
  const values: Readonly<Record<string, string>> = {
    '--limit': '3',
    '--session': first('session_id'),
    '--project': first('project'),
    '--since': time,
    '--until': time,
    '--client': first('client'),
    '--kinds': 'thinking,error',
    '--tag': first('tag'),
    '--tool': first('tool_name'),
    '--query': query,
    '--turn': '1',
    '--against': String(facts.get('exchange')?.at(-1)),
    '--match': query,
    '--cause': 'ttl_expired',
    '--category': 'decision',
    '--show': first('uuid'),
    '--compaction': first('uuid'),
    '--title': 'A title',
    '--format': 'markdown',
    '--without': 'tools',
  }
  const given = command.registeredArguments.flatMap((one) => (one.required ? [argument[one.name()] ?? query] : []))
  const base = [command.name(), ...given]
  const withFlag = ({ long, required, argChoices }: Option): readonly (readonly string[])[] => {
    if (long == null || LEFT_OUT.has(long)) return []
    if (!required) return [[...base, long]]
    const taken = argChoices ?? (long in values ? [values[long] ?? ''] : [])
    return taken.map((value) => [...base, long, value])
  }
  const optional = command.registeredArguments.flatMap((one) =>
    one.required ? [] : [[...base, argument[one.name()] ?? query]],
  )
  return [
    base,
    ...optional.filter(() => command.name() !== 'guard'),
    ...command.options.filter(isOwn).flatMap(withFlag),
  ]
}

/** Leaves out the flags that every command has. */
const isOwn = ({ long }: Option): boolean =>
  ![
    '--json',
    '--data',
    '--config',
    '--port',
    '--proxy-port',
    '--tunnel-port',
    '--upstream',
    '--no-open',
    '--demo',
  ].includes(long ?? '')

/** Runs a command; returns the JSON that it printed, line by line if it printed several. */
async function printedBy(words: readonly string[]): Promise<unknown> {
  const { write } = process.stdout
  let text = ''
  process.stdout.write = ((piece: string | Uint8Array, ...more: readonly unknown[]): boolean => {
    text += typeof piece === 'string' ? piece : Buffer.from(piece).toString()
    const done = more.find((one) => typeof one === 'function')
    if (typeof done === 'function') done()
    return true
  }) as typeof write
  try {
    await createProgram().parseAsync(words, { from: 'user' })
  } catch (error) {
    return { error: toErrorAnswer(error) }
  } finally {
    process.stdout.write = write
  }
  return text.trimEnd().split('\n').map(parsed)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // Text, as `export` prints it.
    return line
  }
}

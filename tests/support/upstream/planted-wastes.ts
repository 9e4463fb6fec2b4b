import { MINUTE_MS } from '../../../src/shared/time-units.ts'
import { bill, type SimulatedUsage } from './cache-simulator.ts'
import { RATES } from './simulated-sessions.ts'
import { costOf, leftBy, wasteOf, wordsOf, type ToldMonths, type ToldSession } from './told-months.ts'

/** How one month differs from the others. */
export interface Variation {
  readonly days: number
  readonly minutes: number
  readonly words: number
  readonly turns: number
  readonly random: () => number
}

/** What a day's waste cost: exactly, or as far as the tokens of a block can be counted. */
interface Planted {
  readonly usd?: number
  readonly minutes?: number
  readonly about?: number
}

type Telling<T> = (month: ToldMonths, session: ToldSession, day: number, of: Variation) => Promise<T>

const asks = async (session: ToldSession, turns: number) => {
  for (let turn = 0; turn < turns; turn += 1) await session.ask()
}
const server = (name: string, words: number) => ({
  name: `mcp__${name}__one`,
  description: 'does a thing '.repeat(words),
})
const tokensOf = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4)

/** Agents start with as many words of their own as `own`, and read `reads` in each step. */
interface Agent {
  readonly own: number
  readonly steps: number
  readonly reads: number
  readonly model?: string
}

async function agentRun(session: ToldSession, random: () => number, { own, steps, reads, model }: Agent) {
  const prompt = `Find ${wordsOf(random, 12)}`
  const input = { subagent_type: 'scout', description: 'Find', prompt }
  const start = await session.run('Task', input, 'It is in the main file.')
  const agent = session.agent(prompt, own)
  if (model !== undefined) agent.conversation.model = model
  const id = `agent-${session.id}`
  const usages: SimulatedUsage[] = []
  for (let step = 0; step < steps; step += 1) {
    usages.push(await agent.run('Grep', { pattern: `x${step}` }, wordsOf(random, reads), { agent: id }))
  }
  usages.push(await agent.answer({ agent: id }))
  return { start, usages, next: await session.answer() }
}

/** What the steps of an agent cost more than the same steps in a conversation that ends with the next request. */
function extraOf({ start, usages, next }: Awaited<ReturnType<typeof agentRun>>): number {
  const [first] = usages
  if (first === undefined) return 0
  const context = leftBy(start) + start.input + 10
  let [grown, inside] = [0, 0]
  for (const usage of usages) {
    const now = leftBy(usage) + usage.input - leftBy(first) - first.input
    inside += costOf({ input: 0, read: context + grown, written5m: now - grown, written1h: 0 })
    grown = now
  }
  const carried = Math.max(0, grown + 10 - Math.max(0, leftBy(next) + next.input - context))
  inside += bill({ input: 0, read: carried, written5m: 0, written1h: 0 }, RATES)
  return usages.reduce((sum, usage) => sum + costOf(usage), 0) - inside
}

const SUGGESTION = '[SUGGESTION MODE: Suggest what the user might naturally type next into Claude Code.]'
const SIDE_QUESTION =
  '<system-reminder>This is a side question from the user. You must answer this question directly in a single response.</system-reminder>\n\n'
const REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected."

/** A command of which the person is asked first; the answer to its result ends the turn. */
async function asked(session: ToldSession, command: string, seconds: number, isRefused = false) {
  const text = isRefused ? REFUSED : 'fine'
  await session.run('Bash', { command }, text, { isError: isRefused })
  session.permission('Bash', { command }, seconds, { text, isRefused })
  await session.answer()
  return { minutes: seconds / 60 }
}

const lint = (at: number): string => `Exit code 1\nsrc/file-${at}.ts:${at} error "x${at}" is not defined\nmore`

/** Each kind of waste, by its kind. */
export const WASTES: Readonly<Record<string, Telling<Planted>>> = {
  pauses: async (month, session, _, { minutes, turns }) => {
    await asks(session, turns - 1)
    const left = leftBy(await session.ask())
    month.wait((6 + minutes) * MINUTE_MS)
    return { usd: wasteOf(await session.ask(), left) }
  },
  broken_cache: async (_, session, __, { words, turns, random }) => {
    const left = leftBy(await session.ask())
    if (words % 2 === 0) session.conversation.system[1] += ` ${wordsOf(random, 3)}`
    else session.conversation.tools.push(server('late', words))
    const usage = await session.ask()
    await asks(session, turns)
    return { usd: wasteOf(usage, Math.min(left, leftBy(usage))) }
  },
  carried_unused: async (_, session, __, { words, turns }) => {
    session.conversation.tools.push(server('idle', words), server('busy', words))
    await session.ask({ calls: 'mcp__busy__one' })
    await asks(session, turns)
    const tokens = tokensOf({ ...server('idle', words), input_schema: { type: 'object' } })
    return { about: (tokens * (RATES.write5m + turns * RATES.read)) / 1e6 }
  },
  large_output: async (_, session, __, { words, turns, random }) => {
    const log = wordsOf(random, 3000 + words)
    await session.run('Bash', { command: 'npm run build -- --verbose' }, log)
    await session.answer()
    await asks(session, turns + 4)
    return { about: (tokensOf(log) * (turns + 4) * RATES.read) / 1e6 }
  },
  failing_command: async (_, session, day, { turns }) => {
    await asks(session, turns)
    await session.run('Bash', { command: `cd /work/app && npm run lint -- --file ${day}` }, lint(day), {
      isError: true,
    })
    return { usd: costOf(await session.answer()) }
  },
  permissions: async (_, session, __, { minutes, turns }) => {
    await asks(session, turns)
    return asked(session, 'npm test', 8 + minutes)
  },
  unrequested: async (_, session, __, { turns }) => {
    let usd = 0
    for (let turn = 0; turn < turns; turn += 1) {
      await session.ask()
      usd += costOf(await session.beside(SUGGESTION))
    }
    return { usd }
  },
  costly_agents: async (_, session, __, { words, turns, random }) => {
    await asks(session, turns)
    return { usd: extraOf(await agentRun(session, random, { own: 5000 + 10 * words, steps: 2, reads: 30 })) }
  },
}

const HOOK = 'Exit code 1\nhusky - pre-commit script failed (code 1)'

/** What only looks like a waste. */
export const CLEAN: Readonly<Record<string, Telling<unknown>>> = {
  'files that other programs show': async (_, session, day, { words, turns, random }) => {
    const command =
      ["awk 'NR > 9' a.ts", 'git show HEAD~1:a.ts', 'for f in src/*; do echo $f; cat $f; done'][day % 3] ?? ''
    await session.run('Bash', { command }, wordsOf(random, 3000 + words))
    await session.answer()
    await asks(session, turns + 4)
  },
  'pages that a small model reads for a call': async (month, session, day, { turns, random }) => {
    await asks(session, turns)
    await session.run('WebFetch', { url: `https://example.com/${day}`, prompt: 'Read' }, 'It is red.')
    const text = `\nWeb page content:\n---\n${wordsOf(random, 3000)}\n---\n\nRead\n\nProvide a concise response based only on the content above.`
    const messages = [{ role: 'user', content: [{ type: 'text', text }] }]
    await month.send(session.id, { ...session.conversation, tools: [], system: [], messages, marksEnd: false })
    await session.answer()
  },
  'a server that is asked again once it runs': async (_, session, __, { turns }) => {
    await asks(session, turns)
    const error = 'Exit code 7\ncurl: (7) Failed to connect to localhost port 8080 after 0 ms: Could not connect'
    await session.run('Bash', { command: 'curl -s http://localhost:8080/' }, error, { isError: true })
    await session.run('Bash', { command: 'sleep 5; curl -s http://localhost:8080/ | head' }, 'ok')
    await session.answer()
  },
  'commits that a hook stops': async (_, session, day, { turns }) => {
    await asks(session, turns)
    await session.run('Bash', { command: `git commit -m "door ${day}"` }, HOOK, { isError: true })
    await session.run('Bash', { command: `git add -A && git commit -m "the door ${day}"` }, 'ok')
    await session.answer()
  },
  'things that are looked up in vain, others each time': async (_, session, day, { turns }) => {
    await asks(session, turns)
    const error = `Exit code 1\n[]\nError: No such object: door${day}`
    await session.run('Bash', { command: `docker inspect door${day}` }, error, { isError: true })
    await session.answer()
  },
  'a check whose findings are mended, shown in part': async (_, session, day, { turns }) => {
    await asks(session, turns)
    await session.run('Bash', { command: 'npm run lint 2>&1 | tail -n 20' }, lint(day), { isError: true })
    await session.run('Bash', { command: 'npm run lint' }, 'fine')
    await session.answer()
  },
  'a build that passes later beside another command': async (_, session, day, { turns }) => {
    await asks(session, turns)
    const error = `Exit code 1\n./door.go:${day}:3: undefined: paint`
    await session.run('Bash', { command: 'go build ./...' }, error, { isError: true })
    await session.run('Bash', { command: 'cd /work/app && go build ./... && echo ok' }, 'ok')
    await session.answer()
  },
  'files that are looked for in vain, others each time': async (_, session, day, { turns }) => {
    await asks(session, turns)
    const file = `/work/app/doors/${day}.json`
    const error = `Exit code 2\nls: cannot access '${file}': No such file or directory`
    await session.run('Bash', { command: `ls ${file}` }, error, { isError: true })
    const read = '<tool_use_error>File does not exist.</tool_use_error>'
    await session.run('Read', { file_path: file }, read, { isError: true })
    await session.answer()
  },
  'a server that a limit of time ends': async (_, session, __, { turns }) => {
    await asks(session, turns)
    const error = 'Exit code 124\nlistening on 3000'
    await session.run('Bash', { command: 'timeout 5 npm run dev' }, error, { isError: true })
    await session.answer()
  },
  'pages that are gone': async (_, session, day, { turns }) => {
    await asks(session, turns)
    const error = 'Request failed with status code 404'
    await session.run('WebFetch', { url: `https://example.com/${day}`, prompt: 'Read' }, error, { isError: true })
    await session.answer()
  },
  'pauses within the life of the cache': async (month, session, _, { turns }) => {
    await asks(session, turns)
    month.wait(4 * MINUTE_MS)
    await session.ask()
  },
  'pauses within an hour of cache': async (month, session, _, { minutes }) => {
    session.conversation.ttl = '1h'
    await session.ask()
    month.wait((5 + minutes) * MINUTE_MS)
    await session.ask()
  },
  'pauses that no remedy pays for': async (month, session, _, { turns, minutes }) => {
    await asks(session, turns)
    month.wait((61 + minutes) * MINUTE_MS)
    await session.ask()
  },
  'waits of more than an hour for a command': async (month, session, day, { words, turns, random }) => {
    await session.run('Read', { file_path: '/work/app/long.ts' }, wordsOf(random, 9000 + words))
    await session.answer()
    await session.run('Bash', { command: 'npm run soak' }, `passed ${day}`)
    month.wait(70 * MINUTE_MS)
    await session.answer()
    await asks(session, turns)
  },
  'a setup that changes once': async (_, session, day, { turns }) => {
    await session.ask()
    if (day === 3) session.conversation.system[1] += ' changed'
    await asks(session, turns)
  },
  'a server where no call of any was seen': async (_, session, __, { words, turns }) => {
    session.conversation.tools.push(server('idle', words))
    await asks(session, turns)
  },
  'tools that are deferred': async (_, session, __, { words, turns }) => {
    session.conversation.tools.push(
      Object.assign(server('idle', words), { defer_loading: true }),
      server('busy', words),
    )
    await session.ask({ calls: 'mcp__busy__one' })
    await asks(session, turns)
  },
  'an output that later answers use': async (_, session, __, { words, turns, random }) => {
    const log = wordsOf(random, 3000 + words)
    await session.run('Bash', { command: 'npm run build' }, log)
    await session.answer()
    await asks(session, turns + 4)
    const content = log.split(' ').slice(99, 130).join(' ')
    await session.run('Write', { file_path: '/work/app/a.md', content }, 'written')
    await session.answer()
  },
  'servers that are all called': async (_, session, __, { words }) => {
    session.conversation.tools.push(server('one', words), server('two', words))
    await session.ask({ calls: 'mcp__one__one' })
    await session.ask({ calls: 'mcp__two__one' })
  },
  'a long output at the end of a session': async (_, session, __, { words, turns, random }) => {
    await asks(session, turns)
    await session.run('Bash', { command: 'npm run build' }, wordsOf(random, 3000 + words))
    await session.answer()
  },
  'a long file that is read': async (_, session, __, { words, turns, random }) => {
    await session.run('Read', { file_path: '/work/app/long.ts' }, wordsOf(random, 3000 + words))
    await session.answer()
    await asks(session, turns + 4)
  },
  'a long file that a command shows': async (_, session, __, { words, turns, random }) => {
    await session.run('Bash', { command: 'cat src/long.ts' }, wordsOf(random, 3000 + words))
    await session.answer()
    await asks(session, turns + 4)
  },
  'a search that finds nothing': async (_, session, day, { turns }) => {
    await asks(session, turns)
    await session.run('Bash', { command: `grep -rn thing${day} src` }, 'Exit code 1', { isError: true })
    await session.answer()
  },
  'tests that fail until the work is done': async (_, session, day, { turns }) => {
    await asks(session, turns)
    const input = { command: day % 2 === 0 ? 'npm test' : 'npm run build' }
    await session.run('Bash', input, `Exit code 1\nFAIL ${day} failed`, { isError: true })
    await session.run('Bash', input, 'fine')
    await session.answer()
  },
  'permission for more than a rule would match': async (_, session, day, { minutes }) => {
    const command = ['npm test && git push', 'cd /work/other && npm test', 'npm test > out.txt'][day % 3] ?? ''
    await asked(session, command, 8 + minutes)
  },
  'tests that fail in another way each time': async (_, session, __, { turns, random }) => {
    await asks(session, turns)
    const error = `the ${wordsOf(random, 3).replaceAll(/\d/g, 'x')} case is broken`
    await session.run('Bash', { command: 'npm test' }, error, { isError: true })
    await session.answer()
  },
  'a command that fails now and then': async (_, session, day, { turns }) => {
    await asks(session, turns)
    const isError = day % 3 === 0
    await session.run('Bash', { command: 'npm run lint' }, isError ? lint(day) : 'fine', { isError })
    await session.answer()
  },
  'a command that a person refuses': async (_, session, __, { minutes }) => {
    await asked(session, 'npm test', 8 + minutes, true)
  },
  'permission for what changes something': async (_, session, __, { minutes }) => {
    await asked(session, 'git push origin main', 8 + minutes)
  },
  'permission for what a rule would let write': async (_, session, __, { minutes }) => {
    await asked(session, 'git diff --output=a.txt', 8 + minutes)
  },
  'permission that is refused once': async (_, session, day, { minutes }) => {
    await asked(session, 'npm test', 8 + minutes, day === 3)
  },
  'permission that is given at once': async (_, session) => {
    await asked(session, 'npm test', 2)
  },
  'questions that the person asked beside the work': async (_, session, __, { turns }) => {
    await asks(session, turns)
    await session.beside(`${SIDE_QUESTION}Why is the door red?`)
  },
  'short titles': async (_, session, __, { turns }) => {
    await asks(session, turns + 4)
    await session.title()
  },
  'agents that read much and answer briefly': async (_, session, __, { turns, random }) => {
    await asks(session, turns)
    await agentRun(session, random, { own: 600, steps: 3, reads: 3000 })
    await asks(session, 10)
  },
  'agents of a cheaper model': async (_, session, __, { random }) => {
    await session.run('Read', { file_path: '/work/app/long.ts' }, wordsOf(random, 9000))
    await session.answer()
    await agentRun(session, random, { own: 900, steps: 3, reads: 60, model: 'claude-haiku-4-5' })
    await asks(session, 2)
  },
  'a server of which only resources are read': async (_, session, __, { words, turns }) => {
    session.conversation.tools.push(server('idle', words), server('busy', words))
    await session.ask({ calls: 'mcp__busy__one' })
    await session.run('ReadMcpResourceTool', { server: 'idle', uri: 'doors://red' }, 'It is red.')
    await asks(session, turns)
  },
  'short talks that go on the next morning': async (month, session, _, { turns, minutes }) => {
    await asks(session, turns)
    month.wait((700 + minutes) * MINUTE_MS)
    await asks(session, turns + 1)
  },
  'questions that are answered after lunch': async (month, session, _, { words, turns, random }) => {
    await session.run('Read', { file_path: '/work/app/long.ts' }, wordsOf(random, 9000 + words))
    await session.run('AskUserQuestion', { questions: [{ question: 'Which door?' }] }, 'The red one.')
    month.wait(75 * MINUTE_MS)
    await session.answer()
    await asks(session, turns)
  },
  'an output that each later turn uses': async (_, session, __, { words, turns, random }) => {
    const log = wordsOf(random, 3000 + words)
    await session.run('Bash', { command: 'kubectl describe pods' }, log)
    await session.answer()
    for (let turn = 0; turn < turns + 4; turn += 1) {
      const says = log
        .split(' ')
        .slice(20 * turn, 20 * turn + 15)
        .join(' ')
      await session.ask({ says })
    }
  },
  'merges that stop for conflicts': async (_, session, day, { turns }) => {
    await asks(session, turns)
    const error =
      'Exit code 1\nCONFLICT (content): Merge conflict in src/door.ts\nAutomatic merge failed; fix conflicts'
    await session.run('Bash', { command: `git merge topic-${day}` }, error, { isError: true })
    await session.answer()
  },
  'calls that are given up beside another': async (_, session, day, { turns }) => {
    await asks(session, turns)
    const error = '<tool_use_error>Sibling tool call errored</tool_use_error>'
    await session.run('Read', { file_path: `/work/app/${day}.ts` }, error, { isError: true })
    await session.answer()
  },
  'a system prompt of each session': async (_, session, day, { turns, random }) => {
    session.conversation.system[1] += ` Today is day ${day}. ${wordsOf(random, 300)}`
    await asks(session, turns + 2)
  },
  'checks of a pull request that are not done yet': async (_, session, day, { turns }) => {
    await asks(session, turns)
    const error = 'Exit code 8\nbuild\tpending\t0\thttps://example.com/1'
    await session.run('Bash', { command: `gh pr checks ${day}` }, error, { isError: true })
    await session.answer()
  },
}

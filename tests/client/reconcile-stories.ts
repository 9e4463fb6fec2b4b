import { expect } from 'vitest'
import type { ClaudeOptions } from '../support/client/claude-client.ts'
import type { Answer, Step } from '../support/upstream/messages-answer.ts'
import { lastUserText, type SeenRequest } from '../support/upstream/messages-upstream.ts'

const USAGE = { input_tokens: 101, output_tokens: 43, cache_read_input_tokens: 907, cache_creation_5m: 61 }
const say = (...steps: readonly Step[]): Answer => ({ steps, usage: USAGE })
const agent = (prompt: string, id: string): Step => ({
  tool: 'Agent',
  input: { description: prompt.slice(0, 20), prompt, subagent_type: 'general-purpose', run_in_background: false },
  id,
})
const bash = (command: string, id: string): Step => ({ tool: 'Bash', input: { command, description: 'run it' }, id })

/** Cost of a session by our account and by the client's. */
export interface Costs {
  /** Our total less the client's. */
  readonly differenceUsd: number
  /** Our counts of answers that no transcript has. */
  readonly onlyWireUsd: number
  /** Our explanation of the difference. */
  readonly explanation: string
  readonly outputTokens: number
  readonly clientOutputTokens: number
}

/** A token of output of claude-opus-5-5, the client's own model in these runs. */
const OUTPUT_TOKEN_USD = 20 / 1e6

/** Expects that we and the client count the same. */
export function sameCost({ differenceUsd, explanation }: Costs): void {
  expect(Math.abs(differenceUsd)).toBeLessThan(1e-9)
  expect(explanation).not.toContain('cut off: we count')
}

/** The client leaves out an answer whose end it never received, if no text had come. We count what its start reported. */
function cutIsLeftOut({ differenceUsd, onlyWireUsd, explanation }: Costs): void {
  expect(explanation).toContain('cut off: we count')
  expect(differenceUsd).toBeGreaterThan(0)
  expect(Math.abs(differenceUsd - onlyWireUsd)).toBeLessThan(1e-9)
}

/** The client guesses the tokens of the text that had come before the cut. We count what the answer had reported by then. */
function cutIsGuessed({ differenceUsd, explanation, outputTokens, clientOutputTokens }: Costs): void {
  expect(explanation).toContain('cut off: we count')
  expect(clientOutputTokens).toBeGreaterThan(outputTokens)
  expect(Math.abs(differenceUsd - (outputTokens - clientOutputTokens) * OUTPUT_TOKEN_USD)).toBeLessThan(1e-9)
}

export interface Story {
  readonly name: string
  /** Each is one run of the client; `{session}` in its arguments is replaced by the first run's session. */
  readonly runs: readonly (Pick<ClaudeOptions, 'prompt' | 'isPiped'> & { readonly args?: readonly string[] })[]
  readonly script: (request: SeenRequest, n: number) => Answer
  /** Files of the client's home. */
  readonly files?: Readonly<Record<string, string>>
  /** Facts that the transcript leaves out, by the kind they are of. */
  readonly onlyLive?: readonly RegExp[]
  /** Events that only the transcript tells, and that an import after live traffic adds. */
  readonly onlyImported?: readonly RegExp[]
  /** Calls that the client refuses before it runs any hook: id and tool. */
  readonly refusedCalls?: readonly (readonly [string, string])[]
  /** Default: none. */
  readonly compactions?: number
  /** Requests of each session that ask again for what an earlier one did not get. Default: none. */
  readonly retries?: number
  /** Nobody answers at the upstream's address until a request was refused. */
  readonly isDownAtFirst?: true
  /** Compares our cost of each session with the client's own total. Default: `sameCost`. */
  readonly checkCost?: (costs: Costs) => void
  /** Releases a hold of the upstream once the client has printed this. */
  readonly holdUntil?: { readonly hold: string; readonly output: string }
}

const isSummary = (request: SeenRequest) => lastUserText(request.body).includes('CRITICAL: Respond with TEXT ONLY')

export const STORIES: readonly Story[] = [
  {
    name: 'a subagent, two calls at once, one that fails and one that is denied',
    runs: [{ prompt: 'Do many things.' }],
    script: (request, n) => {
      if (request.agentId !== null) return say({ thinking: 'I look.' }, { text: 'The agent saw three files.' })
      if (n === 0) return say({ text: 'Both at once.' }, bash('echo one', 'toolu_one'), bash('echo two', 'toolu_two'))
      if (n === 1) return say({ tool: 'Read', input: { file_path: '/nowhere/at/all' }, id: 'toolu_fails' })
      if (n === 2) return say(bash('rm -rf /tmp/not-allowed', 'toolu_denied'))
      if (n === 3) return say(agent('Count the files.', 'toolu_agent'))
      return say({ text: 'All done.' })
    },
  },
  {
    name: 'an agent that starts an agent',
    runs: [{ prompt: 'Go deep.' }],
    script: (request, n) => {
      const asked = JSON.stringify(request.body?.messages[0])
      if (request.agentId !== null && asked.includes('Second level')) return say({ text: 'Deep answer.' })
      if (request.agentId !== null)
        return n === 0 ? say(agent('Second level: look.', 'toolu_deep')) : say({ text: 'First level is done.' })
      return n === 0 ? say(agent('First level: go on.', 'toolu_first')) : say({ text: 'Up again.' })
    },
  },
  {
    name: 'resumed, then compacted, then resumed again',
    runs: [
      { prompt: 'Say hello with zebra stripes.' },
      { prompt: '/compact focus on zebras', args: ['--resume', '{session}'] },
      { prompt: 'What did we talk about?', args: ['--resume', '{session}'] },
    ],
    script: (request) =>
      isSummary(request)
        ? say({ text: '<analysis>zebras</analysis>\n<summary>\n1. The user spoke of zebras.\n</summary>' })
        : say({ thinking: 'Stripes.' }, { text: `An answer to: ${lastUserText(request.body).slice(-20)}` }),
    compactions: 1,
    // No line has the summary's cost.
    onlyLive: [/^usage:/],
  },
  {
    name: 'compacted, then forked',
    runs: [
      { prompt: 'Say hello.' },
      { prompt: '/compact keep the names', args: ['--resume', '{session}'] },
      { prompt: 'Go on.', args: ['--resume', '{session}'] },
      { prompt: 'Go another way.', args: ['--resume', '{session}', '--fork-session'] },
    ],
    script: (request, n) => say({ text: isSummary(request) ? '<summary>\n1. Hello.\n</summary>' : `Answer ${n}.` }),
    compactions: 1,
    onlyLive: [/^usage:/],
  },
  {
    name: 'forked, and gone on in the fork',
    runs: [
      { prompt: 'Begin with a call.' },
      { prompt: 'Go another way.', args: ['--resume', '{session}', '--fork-session'] },
    ],
    script: (_, n) =>
      n === 0 ? say({ thinking: 'A call.' }, bash('echo begun', 'toolu_begun')) : say({ text: `Answer ${n}.` }),
  },
  {
    name: 'busy twice, then heard',
    runs: [{ prompt: 'Try until it works.' }],
    script: (_, n) => {
      if (n === 0) return { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } }
      if (n === 1)
        return {
          status: 429,
          error: { type: 'rate_limit_error', message: 'Slow down' },
          headers: { 'retry-after': '1' },
        }
      return say({ text: 'At last.' })
    },
    retries: 2,
  },
  {
    name: 'nobody there, then heard',
    runs: [{ prompt: 'Try until somebody is there.' }],
    script: () => say({ text: 'Somebody is there.' }),
    isDownAtFirst: true,
  },
  {
    name: 'an error amid the stream, then heard',
    runs: [{ prompt: 'Break and go on.' }],
    script: (_, n) =>
      n === 0
        ? say({ failure: { type: 'overloaded_error', message: 'Overloaded' } })
        : say({ text: 'Whole this time.' }),
    // The start of the broken answer told what it had read: the client counts it, and writes no line of it.
    onlyLive: [/^usage:/],
    checkCost: cutIsLeftOut,
    retries: 1,
  },
  {
    name: 'a stream cut after its first words',
    // Prints the answer's events as the client reads them, which tells when the words have reached it.
    runs: [{ prompt: 'Be cut.', args: ['--output-format', 'stream-json', '--verbose', '--include-partial-messages'] }],
    script: (_, n) =>
      n === 0
        ? say({ text: 'These words came, and then' }, { hold: 'the words are read' }, { cut: true })
        : say({ text: 'Resumed and done.' }),
    holdUntil: { hold: 'the words are read', output: '"content_block_stop"' },
    onlyLive: [/^(?:block|usage):/],
    checkCost: cutIsGuessed,
  },
  {
    name: 'stopped by max_tokens twice, then whole',
    runs: [{ prompt: 'Write at length.' }],
    script: (_, n) =>
      n < 2 ? { ...say({ text: `Part ${n} of it` }), stopReason: 'max_tokens' } : say({ text: 'And the end.' }),
  },
  {
    name: 'an answer with nothing to show, then one',
    runs: [{ prompt: 'Say something.' }],
    script: (_, n) => (n === 0 ? say({ thinking: 'I only think.' }) : say({ text: 'Something.' })),
  },
  {
    name: 'refused',
    runs: [{ prompt: 'Do what is not done.' }],
    script: () => ({ ...say({ text: 'I begin' }), stopReason: 'refusal' }),
    onlyImported: [/^notification: .* safeguards stopped the response above/],
  },
  {
    name: 'a search of the web, which asks a model of its own',
    runs: [{ prompt: 'Search for tills.', args: ['--allowedTools', 'WebSearch'] }],
    script: (request, n) => {
      if (lastUserText(request.body).includes('Perform a web search')) return say({ text: 'Tills are sold.' })
      return n === 0
        ? say({ tool: 'WebSearch', input: { query: 'tills' }, id: 'toolu_search' })
        : say({ text: 'They are sold.' })
    },
    // The side call's answer is in the tool result.
    onlyLive: [/^(?:block|usage):/],
  },
  {
    name: 'forked twice from the same point',
    runs: [
      { prompt: 'Begin here.' },
      { prompt: 'Go left.', args: ['--resume', '{session}', '--fork-session'] },
      { prompt: 'Go right.', args: ['--resume', '{session}', '--fork-session'] },
    ],
    script: (_, n) => say({ text: `Answer ${n}.` }),
  },
  {
    name: 'a prompt with tags that a person typed',
    runs: [{ prompt: 'Why does <system-reminder>x</system-reminder> show up, and <b>this</b>? ' }],
    script: () => say({ text: 'They are tags.' }),
  },
  {
    name: 'the typed word Warmup',
    runs: [{ prompt: 'Warmup' }],
    script: () => say({ text: 'Ready.' }),
  },
  {
    name: 'a full context, compacted by the client itself',
    runs: [{ prompt: 'Fill it up.' }],
    script: (request, n) => {
      if (isSummary(request)) return say({ text: '<analysis>full</analysis>\n<summary>\n1. It was full.\n</summary>' })
      if (n === 0)
        return { steps: [bash('echo full', 'toolu_full')], usage: { input_tokens: 990_000, output_tokens: 40 } }
      return say({ text: 'There is room again.' })
    },
    compactions: 1,
    // No line contains the cost of the summary.
    onlyLive: [/^usage:/],
  },
  {
    name: 'plan mode',
    runs: [{ prompt: 'Plan it.', args: ['--permission-mode', 'plan'] }],
    script: (_, n) =>
      n === 0
        ? say({ tool: 'ExitPlanMode', input: { plan: '1. Paint the door.' }, id: 'toolu_plan' })
        : say({ text: 'The plan is made.' }),
    // Nobody could accept it: `-p` has no dialogue.
    refusedCalls: [['toolu_plan', 'ExitPlanMode']],
  },
  {
    name: 'a prompt from a pipe',
    runs: [{ prompt: '  Count the zebras.\n\n', isPiped: true }],
    script: () => say({ text: 'Three.' }),
  },
  {
    name: 'commands of its own, with words and without',
    runs: [{ prompt: '/greet both zebras' }, { prompt: '/plain', args: ['--resume', '{session}'] }],
    files: {
      '.claude/commands/greet.md': 'Greet $ARGUMENTS warmly, in one line.\n',
      '.claude/commands/plain.md': 'Say plainly what there is.\n',
    },
    script: (_, n) => say({ text: `Answer ${n}.` }),
  },
  {
    name: 'two calls one after the other, each with thoughts',
    runs: [{ prompt: 'Look twice.' }],
    script: (_, n) =>
      n < 2 ? say({ thinking: `Look ${n}.` }, bash(`echo look ${n}`, `toolu_look_${n}`)) : say({ text: 'Seen.' }),
  },
]

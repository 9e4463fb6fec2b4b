import type { Random } from '../../../../src/main/base/fixtures/random.ts'
import { COMMITS, FOLLOW_UP_COUNT, followUp, STEP_TEXTS, STEP_THOUGHTS, TEST_NAMES } from '../follow-ups.ts'
import type { DemoStory } from '../stories.ts'
import type { ProjectTalk } from '../talks.ts'
import code from '../texts/code.json' with { type: 'json' }
import type { DemoProject } from '../vocabulary.ts'
import type { Script, ScriptCall, ScriptStep, ScriptTurn } from './script.ts'

interface CodeFile {
  readonly file: string
  readonly text: string
  readonly edits: readonly (readonly string[])[]
}

const CODE: Readonly<Record<string, readonly CodeFile[]>> = code
const MODELS = [
  'claude-opus-5-5',
  'claude-opus-5-5',
  'claude-sonnet-5-5',
  'claude-opus-4-8',
  'claude-sonnet-4-6',
] as const
const TESTS = { ts: 'npm test', py: 'pytest -q', rs: 'cargo test', go: 'go test ./...' } as const

/** Returns a story as a script: it has its own calls. */
export function storyScript(random: Random, { folder, branch, turns }: DemoStory): Script {
  const told = turns.map(({ calls, ...turn }): ScriptTurn => ({ ...turn, steps: calls as readonly ScriptCall[] }))
  return { folder, branch, model: random.pick(MODELS), turns: told }
}

/**
 * Returns a talk as a script: its turns, then what people ask about any work, with calls that fit the project. Its tests
 * print `logLines` lines of a log.
 */
export function talkScript(
  random: Random,
  { project, talk }: ProjectTalk,
  followUps: number,
  logLines: number,
): Script {
  const rest = [...Array(FOLLOW_UP_COUNT).keys()]
  const later = Array.from({ length: followUps }, () => {
    const [index = 0] = rest.splice(random.int(0, rest.length - 1), 1)
    return followUp(index, talk)
  })
  const work = new TalkWork(random, project, talk.functionName)
  const turns = [...talk.turns, ...later].map(({ prompt, thought, answer }, at): ScriptTurn => {
    return { prompt, thinking: thought, answer, steps: at === 0 ? work.all(logLines) : work.some() }
  })
  return { folder: project.folder, branch: random.pick(project.branches), model: random.pick(MODELS), turns }
}

/** Calls that look into the project's code, change it and run its tests. */
class TalkWork {
  readonly #random: Random
  readonly #project: DemoProject
  readonly #functionName: string
  readonly #files: readonly CodeFile[]
  #edits: (() => ScriptCall)[]

  constructor(random: Random, project: DemoProject, functionName: string) {
    this.#random = random
    this.#project = project
    this.#functionName = functionName
    this.#files = CODE[project.folder.slice(project.folder.lastIndexOf('/') + 1)] ?? []
    this.#edits = this.#files.flatMap((file) => file.edits.map((edit) => () => this.#edit(file, edit)))
  }

  /** From the first look to a change that is tested. */
  all(logLines: number): readonly ScriptStep[] {
    const [one, other] = this.#files
    if (one === undefined || other === undefined) return []
    const looks = { ...this.#grep(), together: [this.#read(one), this.#read(other)] }
    return [
      { ...looks, thinking: this.#random.pick(STEP_THOUGHTS), says: this.#random.pick(STEP_TEXTS) },
      { ...this.#test(this.#random.chance(0.6) ? this.#random.int(1, 3) : 0), ...(logLines > 0 ? { logLines } : {}) },
      ...this.#nextEdit(),
      { ...this.#test(0), says: this.#random.pick(STEP_TEXTS) },
    ]
  }

  some(): readonly ScriptStep[] {
    const steps: readonly (() => readonly ScriptStep[])[] = [
      () => [],
      () => [this.#log()],
      () => [this.#grep(), this.#log()],
      () => [this.#status(), this.#test(0)],
      () => [...this.#nextEdit(), this.#test(this.#random.chance(0.3) ? 1 : 0)],
    ]
    return this.#random.pick(steps)()
  }

  #nextEdit(): readonly ScriptCall[] {
    const [edit] = this.#edits.splice(this.#random.int(0, this.#edits.length - 1), 1)
    return edit === undefined ? [] : [edit()]
  }

  #path(file: string): string {
    return `${this.#project.folder}/${file}`
  }

  #read({ file, text }: CodeFile): ScriptCall {
    return { tool: 'Read', input: { file_path: this.#path(file) }, output: numbered(text, 1) }
  }

  #edit({ file, text }: CodeFile, [from = '', to = '']: readonly string[]): ScriptCall {
    const path = this.#path(file)
    const line = text.slice(0, text.indexOf(from)).split('\n').length
    const output = `The file ${path} has been updated. Here's the result of running \`cat -n\`:\n${numbered(to, line)}`
    return { tool: 'Edit', input: { file_path: path, old_string: from, new_string: to }, output }
  }

  #grep(): ScriptCall {
    const hits = this.#files.map(({ file }) => `${file}:${this.#random.int(5, 90)}:  ${this.#functionName}(`)
    const input = { pattern: this.#functionName, output_mode: 'content' }
    return { tool: 'Grep', input, output: hits.join('\n') }
  }

  #test(failed: number): ScriptCall {
    const random = this.#random
    const command = TESTS[this.#project.language]
    const from = random.int(0, TEST_NAMES.length - 6)
    const names = TEST_NAMES.slice(from, from + random.int(4, 6))
    const lines = names.map((name, at) => `${at < failed ? '✗' : '✓'} ${name} (${random.int(1, 400)} ms)`)
    const passed = random.int(40, 480)
    const output = [...lines, failed > 0 ? `${failed} failed, ${passed} passed` : `${passed} passed`].join('\n')
    const input = { command, description: 'Run the tests' }
    return { tool: 'Bash', input, output, fails: failed > 0, ms: random.int(2_000, 14_000) }
  }

  #status(): ScriptCall {
    const output = this.#files.map(({ file }) => ` M ${file}`).join('\n')
    return { tool: 'Bash', input: { command: 'git status --short', description: 'Show what changed' }, output, ms: 40 }
  }

  #log(): ScriptCall {
    const first = this.#random.int(0, COMMITS.length - 3)
    const lines = COMMITS.slice(first, first + 3).map((subject) => `${this.#random.hex(7)} ${subject}`)
    const input = { command: 'git log --oneline -3', description: 'Show the last commits' }
    return { tool: 'Bash', input, output: lines.join('\n'), ms: 60 }
  }
}

/** Returns lines with their numbers, as Read shows them. */
const numbered = (text: string, from: number): string =>
  text
    .split('\n')
    .map((line, at) => `${String(from + at).padStart(6)}\t${line}`)
    .join('\n')

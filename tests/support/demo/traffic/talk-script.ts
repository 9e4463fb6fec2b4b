import type { Random } from '../../../../src/main/base/fixtures/random.ts'
import { type Deed, followUp, followUpGroups, TEST_NAMES } from '../follow-ups.ts'
import type { DemoStory } from '../stories.ts'
import type { ProjectTalk, Talk } from '../talks.ts'
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
const LINTS = { ts: 'npm run lint', py: 'ruff check', rs: 'cargo clippy', go: 'go vet ./...' } as const

/** Returns a story as a script: it has its own calls. */
export function storyScript(random: Random, { folder, branch, turns }: DemoStory): Script {
  const told = turns.map(({ calls, ...turn }): ScriptTurn => ({ ...turn, steps: calls as readonly ScriptCall[] }))
  return { folder, branch, model: random.pick(MODELS), turns: told }
}

/**
 * Returns a talk as a script: its turns, then what people ask about any work, with calls that do what the words say. Its
 * first tests print `logLines` lines of a log.
 */
export function talkScript(
  random: Random,
  { project, talk }: ProjectTalk,
  followUps: number,
  logLines: number,
): Script {
  const rest = followUpGroups()
  const later: ScriptTurn[] = []
  const branch = random.pick(project.branches)
  const work = new TalkWork(random, project, talk, branch)
  const turns = talk.turns.map(({ prompt, thought, answer }, at): ScriptTurn => {
    return { prompt, thinking: thought, answer, steps: at === 0 ? work.all(logLines) : work.answers() }
  })
  while (later.length < followUps && rest.length > 0)
    for (const { index, does } of rest.splice(random.int(0, rest.length - 1), 1).flat()) {
      const { prompt, thought, answer } = followUp(index, talk)
      later.push({ prompt, thinking: thought, answer, steps: does.flatMap((deed) => work.do(deed)) })
    }
  return { folder: project.folder, branch, model: random.pick(MODELS), turns: [...turns, ...later] }
}

/** A function as the project's language writes it: before, with a check, and its test. */
const SHAPES = {
  ts: {
    before: (name: string) => `export function ${name}(input: Input): Result {\n  const found = prepare(input)\n`,
    rest: '  return finish(found)\n}\n',
    log: (name: string) => `  log.debug({ found }, '${name}')\n`,
    check: (why: string) => `  // ${why}\n  if (!isExpected(found)) return correct(found)\n`,
    test: (name: string) =>
      `import { expect, test } from 'vitest'\n\ntest('${name}', () => {\n  expect(${name}(CASE)).toEqual(WANTED)\n})\n`,
    testFile: (file: string) => file.replace(/\.(\w+)$/, '.test.$1'),
  },
  py: {
    before: (name: string) => `def ${name}(given: Input) -> Result:\n    found = prepare(given)\n`,
    rest: '    return finish(found)\n',
    log: (name: string) => `    log.debug("${name}: %s", found)\n`,
    check: (why: string) => `    # ${why}\n    if not is_expected(found):\n        return correct(found)\n`,
    test: (name: string) => `def test_${name}():\n    assert ${name}(CASE) == WANTED\n`,
    testFile: (file: string) => `tests/test_${file.slice(file.lastIndexOf('/') + 1)}`,
  },
  rs: {
    before: (name: string) =>
      `pub fn ${name}(input: &Input) -> Result<Found, Error> {\n    let found = prepare(input)?;\n`,
    rest: '    finish(found)\n}\n',
    log: (name: string) => `    debug!(?found, "${name}");\n`,
    check: (why: string) => `    // ${why}\n    if !is_expected(&found) {\n        return correct(found);\n    }\n`,
    test: (name: string) =>
      `#[test]\nfn ${name}_as_wanted() {\n    assert_eq!(${name}(&case()).unwrap(), wanted());\n}\n`,
    testFile: (file: string) => file.replace(/\/src\/|benches\//, '/tests/').replace(/^\//, ''),
  },
  go: {
    before: (name: string) =>
      `func ${name}(input Input) (Result, error) {\n\tfound, err := prepare(input)\n\tif err != nil {\n\t\treturn Result{}, err\n\t}\n`,
    rest: '\treturn finish(found)\n}\n',
    log: (name: string) => `\tlog.Debug("${name}", "found", found)\n`,
    check: (why: string) => `\t// ${why}\n\tif !isExpected(found) {\n\t\treturn correct(found)\n\t}\n`,
    test: (name: string) =>
      `func Test_${name}(t *testing.T) {\n\tgot, err := ${name}(given)\n\trequire.NoError(t, err)\n\trequire.Equal(t, wanted, got)\n}\n`,
    testFile: (file: string) => file.replace(/\.go$/, '_test.go'),
  },
} as const

/** The first sentence of an answer, as a comment or a commit says it. */
const reasonOf = (answer: string): string =>
  (/^.*?[.!?](?=\s|$)/.exec(answer.replaceAll(/[*`]|\s*\n[^]*/g, ''))?.[0] ?? answer).replace(/\.$/, '').slice(0, 90)

/** Calls that look into the file of a talk, change it, and run its tests, whose number only grows. */
class TalkWork {
  readonly #random: Random
  readonly #project: DemoProject
  readonly #talk: Talk
  readonly #branch: string
  readonly #known: CodeFile | undefined
  readonly #reason: string
  #text: string
  #edits: (readonly string[])[]
  #tests: number
  readonly #names: readonly string[]

  constructor(random: Random, project: DemoProject, talk: Talk, branch: string) {
    this.#random = random
    this.#project = project
    this.#talk = talk
    this.#branch = branch
    const files = CODE[project.folder.slice(project.folder.lastIndexOf('/') + 1)] ?? []
    this.#known = files.find(({ file }) => file === talk.file)
    this.#reason = reasonOf(talk.turns[0]?.answer ?? '')
    const { before, rest, check, log } = SHAPES[project.language]
    const head = before(talk.functionName)
    this.#text = this.#known?.text ?? `${head}${rest}`
    const own = [
      [head, `${head}${check(this.#reason)}`],
      [rest, `${log(talk.functionName)}${rest}`],
    ]
    this.#edits = [...(this.#known?.edits ?? own)]
    this.#tests = random.int(40, 480)
    const from = random.int(0, TEST_NAMES.length - 6)
    this.#names = TEST_NAMES.slice(from, from + 5)
  }

  /** From the first look to a change that is tested. */
  all(logLines: number): readonly ScriptStep[] {
    const isFailing = this.#random.chance(0.6)
    const looks = { ...this.#grep(), together: [this.#read()] }
    return [
      { ...looks, says: 'I’ll read the code before I change anything.' },
      { ...this.#test(isFailing ? this.#random.int(1, 3) : 0), ...(logLines > 0 ? { logLines } : {}) },
      ...this.#edit(isFailing ? 'Some tests fail. Now the change.' : 'The tests pass as they are. Now the change.'),
      { ...this.#test(0), says: 'Let me run the tests.' },
    ]
  }

  /** A question about the work needs at most a look. */
  answers(): readonly ScriptStep[] {
    return this.#random.chance(0.4) ? [this.#read()] : []
  }

  do(deed: Deed): readonly ScriptStep[] {
    const { file, functionName } = this.#talk
    switch (deed) {
      case 'test':
      case 'passing':
        return [this.#test(0)]
      case 'failing':
        return [
          this.#bash('git stash push', file, `Saved working directory and index state WIP on ${this.#branch}`),
          this.#test(1),
          this.#bash('git stash', 'pop', `On branch ${this.#branch}\n\tmodified:   ${file}`),
        ]
      case 'newTest':
        return [this.#write()]
      case 'commit':
        return [
          this.#bash(
            `git commit -qam "${functionName}: ${this.#reason.replaceAll(/["$]/g, '')}"`,
            '&& git log --oneline -1',
            `${this.#random.hex(7)} ${functionName}: ${this.#reason}`,
          ),
        ]
      case 'read':
        return [this.#read()]
      case 'edit':
        return this.#edit()
      case 'grep':
        return [this.#grep()]
      case 'changelog':
        return [this.#change('CHANGELOG.md', '## Unreleased\n', `## Unreleased\n\n- ${this.#reason}\n`, 1)]
      case 'docs':
        return [
          { tool: 'Grep', input: { pattern: functionName, glob: '*.md' }, output: `README.md:41:${functionName} once` },
          this.#change('README.md', `${functionName} once`, `${functionName} as often as needed`, 41),
        ]
      case 'diff':
        return [this.#bash('git diff', file, `diff --git a/${file} b/${file}\n+${this.#reason}`)]
      case 'pull':
        return [this.#bash('gh pr create', '--fill', `https://git.example/pulls/${this.#random.int(100, 900)}`)]
      case 'lint':
        return [this.#bash(LINTS[this.#project.language], '', 'no problems')]
      case 'stat':
        return [this.#bash('git diff --stat', 'main', ` ${file} | ${this.#random.int(4, 20)} +++--`)]
    }
  }

  #bash(command: string, rest: string, output: string): ScriptCall {
    const whole = `${command} ${rest}`.trim()
    return { tool: 'Bash', input: { command: whole, description: whole }, output, ms: 60 }
  }

  #path(file: string): string {
    return `${this.#project.folder}/${file}`
  }

  #read(): ScriptCall {
    return { tool: 'Read', input: { file_path: this.#path(this.#talk.file) }, output: numbered(this.#text, 1) }
  }

  /** The next change of the file; [] once there is none. */
  #edit(says?: string): readonly ScriptCall[] {
    const [from = '', to = ''] = this.#edits.shift() ?? []
    if (from === '') return []
    const line = this.#text.slice(0, this.#text.indexOf(from)).split('\n').length
    this.#text = this.#text.replace(from, () => to)
    const call = this.#change(this.#talk.file, from, to, line)
    return [says === undefined ? call : { ...call, says }]
  }

  #change(file: string, from: string, to: string, line: number): ScriptCall {
    const path = this.#path(file)
    const output = `The file ${path} has been updated. Here's the result of running \`cat -n\`:\n${numbered(to, line)}`
    return { tool: 'Edit', input: { file_path: path, old_string: from, new_string: to }, output }
  }

  #write(): ScriptCall {
    const { test, testFile } = SHAPES[this.#project.language]
    const path = this.#path(testFile(this.#talk.file))
    this.#tests += 1
    const input = { file_path: path, content: test(this.#talk.functionName) }
    return { tool: 'Write', input, output: `File created successfully at: ${path}` }
  }

  #grep(): ScriptCall {
    const { file, functionName } = this.#talk
    const at = this.#text.slice(0, Math.max(0, this.#text.indexOf(functionName))).split('\n').length
    const output = `${file}:${at}:  ${functionName}(`
    return { tool: 'Grep', input: { pattern: functionName, output_mode: 'content' }, output }
  }

  #test(failed: number): ScriptCall {
    const random = this.#random
    const lines = this.#names.map((name, at) => `${at < failed ? '✗' : '✓'} ${name} (${random.int(1, 400)} ms)`)
    const passed = `${this.#tests - failed} passed`
    const output = [...lines, failed > 0 ? `${failed} failed, ${passed}` : passed].join('\n')
    const input = { command: TESTS[this.#project.language], description: 'Run the tests' }
    return { tool: 'Bash', input, output, fails: failed > 0, ms: random.int(2_000, 14_000) }
  }
}

/** Returns lines with their numbers, as Read shows them. */
const numbered = (text: string, from: number): string =>
  text
    .split('\n')
    .map((line, at) => `${String(from + at).padStart(6)}\t${line}`)
    .join('\n')

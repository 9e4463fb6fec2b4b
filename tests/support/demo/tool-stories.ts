import type { Json } from '../../../src/shared/event.ts'
import { filePath, identifier, type Subject, thoughtText } from './coding-texts.ts'
import type { Random } from '../../../src/main/base/fixtures/random.ts'
import { COMMITS, TEST_NAMES } from './follow-ups.ts'
import { ADJECTIVES, NOUNS, VERBS } from './vocabulary.ts'

/** A tool call and its result. */
export interface ToolStory {
  readonly name: string
  readonly input: Json
  readonly output: string
  readonly isError: boolean
  readonly rejected?: true
  /** Milliseconds. */
  readonly durationMs: number
}

/** Writes source code that could be the project's. */
function code(random: Random, subject: Subject, lineCount: number): string[] {
  const { language } = subject.project
  const open = { ts: 'export function ', py: 'def ', rs: 'pub fn ', go: 'func ' }[language]
  const lines: string[] = []
  while (lines.length < lineCount) {
    const name = random.chance(0.2) ? subject.functionName : identifier(random, subject.project)
    const [a, b] = [random.pick(NOUNS), random.pick(NOUNS)]
    lines.push(
      `${open}${name}(${a}, ${b})${language === 'py' ? ':' : ' {'}`,
      ...(subject.talker
        ? []
        : [
            `  ${language === 'py' ? '#' : '//'} ${random.pick(VERBS)} the ${random.pick(ADJECTIVES)} ${a} before the ${b}`,
          ]),
      `  ${{ ts: 'const ', py: '', rs: 'let ', go: '' }[language]}${random.pick(NOUNS)}${language === 'go' ? ' :=' : ' ='} ${identifier(random, subject.project)}(${a}, ${random.int(0, 512)})`,
      `  if (${b} ${random.pick(['<', '>', '==', '!='])} ${random.int(0, 99)}) return ${a}`,
      `  return ${identifier(random, subject.project)}(${b})`,
      language === 'py' ? '' : '}',
    )
  }
  return lines.slice(0, lineCount)
}

const numbered = (lines: readonly string[], from: number) =>
  lines.map((line, index) => `${String(from + index).padStart(6)}\t${line}`).join('\n')

type Maker = (random: Random, subject: Subject) => ToolStory

const read: Maker = (random, subject) => {
  const path = random.chance(0.5) ? subject.file : filePath(random, subject.project)
  if (random.chance(0.03))
    return { name: 'Read', input: { file_path: path }, output: 'File does not exist.', isError: true, durationMs: 3 }
  const output = numbered(code(random, subject, random.skewed(8, 160)), 1)
  return { name: 'Read', input: { file_path: path }, output, isError: false, durationMs: random.int(1, 20) }
}

const edit: Maker = (random, subject) => {
  const before = code(random, subject, random.int(2, 6)).join('\n')
  const after = code(random, subject, random.int(2, 8)).join('\n')
  const input = { file_path: subject.file, old_string: before, new_string: after }
  if (random.chance(0.06))
    return { name: 'Edit', input, output: 'String to replace not found in file.', isError: true, durationMs: 4 }
  return {
    name: 'Edit',
    input,
    output: `The file ${subject.file} has been updated. Here's the result of running \`cat -n\`:\n${numbered(after.split('\n'), random.int(1, 300))}`,
    isError: false,
    durationMs: random.int(4, 40),
  }
}

const write: Maker = (random, subject) => {
  const path = filePath(random, subject.project)
  const content = code(random, subject, random.int(10, 60)).join('\n')
  return {
    name: 'Write',
    input: { file_path: path, content },
    output: `File created successfully at: ${path}`,
    isError: false,
    durationMs: random.int(3, 30),
  }
}

const testName = (random: Random, subject: Subject) =>
  subject.talker ? random.pick(TEST_NAMES) : `${random.pick(VERBS)}s a ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}`

const commitSubject = (random: Random, subject: Subject) =>
  subject.talker ? random.pick(COMMITS) : `${random.pick(VERBS)} the ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}`

const runTests: Maker = (random, subject) => {
  const command = { ts: 'npm test', py: 'pytest -q', rs: 'cargo test', go: 'go test ./...' }[subject.project.language]
  const failed = random.chance(0.25) ? random.int(1, 5) : 0
  const names = Array.from(
    { length: random.int(3, 14) },
    (_, index) => `${index < failed ? '✗' : '✓'} ${testName(random, subject)} (${random.int(1, 900)} ms)`,
  )
  const why =
    failed > 0
      ? [
          `AssertionError: ${subject.functionName} ${subject.talker ? 'did not return what was expected' : subject.symptom}`,
          `  at ${subject.file}:${random.int(5, 400)}`,
        ]
      : []
  return {
    name: 'Bash',
    input: { command, description: 'Run the tests' },
    output: [...names, ...why, `${failed} failed, ${random.int(12, 480)} passed`].join('\n'),
    isError: failed > 0,
    durationMs: random.skewed(400, 90_000),
  }
}

const shell: Maker = (random, subject) => {
  const [command, output] = random.pick([
    () => [
      'git status --short',
      ` M ${subject.file.slice(subject.project.folder.length + 1)}\n?? notes-${random.int(1, 99)}.md`,
    ],
    () => [
      'git log --oneline -5',
      Array.from({ length: 5 }, () => `${random.hex(7)} ${commitSubject(random, subject)}`).join('\n'),
    ],
    () => [`echo ${subject.functionName}`, subject.functionName],
    () => [
      `ls ${random.pick(subject.project.folders)}`,
      Array.from({ length: random.int(3, 12) }, () => `${random.pick(NOUNS)}.${subject.project.language}`).join('\n'),
    ],
    () => [`wc -l ${subject.file}`, `${random.int(40, 900)} ${subject.file}`],
  ])() as [string, string]
  return { name: 'Bash', input: { command }, output, isError: false, durationMs: random.int(5, 900) }
}

const grep: Maker = (random, subject) => {
  const hits = Array.from(
    { length: random.skewed(1, 30) },
    () => `${filePath(random, subject.project)}:${random.int(1, 800)}:  ${subject.functionName}(${random.pick(NOUNS)})`,
  )
  return {
    name: 'Grep',
    input: { pattern: subject.functionName, output_mode: 'content' },
    output: hits.join('\n'),
    isError: false,
    durationMs: random.int(8, 300),
  }
}

const glob: Maker = (random, subject) => ({
  name: 'Glob',
  input: { pattern: `**/*.${subject.project.language}` },
  output: Array.from({ length: random.int(2, 20) }, () => filePath(random, subject.project)).join('\n'),
  isError: false,
  durationMs: random.int(5, 120),
})

const fetchPage: Maker = (random, subject) => ({
  name: 'WebFetch',
  input: {
    url: `https://docs.example/${random.pick(NOUNS)}/${random.pick(NOUNS)}`,
    prompt: subject.talker ? 'What does the documentation say about this option?' : `How to ${subject.remedy}?`,
  },
  output: thoughtText(random, subject, random.int(3, 8)),
  isError: random.chance(0.1),
  durationMs: random.int(300, 6_000),
})

const denied: Maker = (random) => ({
  name: 'Bash',
  input: { command: `rm -rf ${random.pick(NOUNS)}` },
  output: "Claude requested permissions to use Bash, but you haven't granted it yet.",
  isError: true,
  rejected: true,
  durationMs: random.int(500, 9_000),
})

// Repeated by frequency.
const MAKERS: readonly Maker[] = [
  read,
  read,
  read,
  read,
  edit,
  edit,
  edit,
  runTests,
  runTests,
  shell,
  shell,
  grep,
  grep,
  glob,
  write,
  fetchPage,
]

export function toolStory(random: Random, subject: Subject): ToolStory {
  return random.chance(0.01) ? denied(random, subject) : random.pick(MAKERS)(random, subject)
}

import type { Random } from '../../../src/main/base/fixtures/random.ts'
import { createTalker, type Talker } from './talker.ts'
import type { Talk } from './talks.ts'
import {
  ADJECTIVES,
  CAUSES,
  type DemoProject,
  LIBRARIES,
  NOUNS,
  REMEDIES,
  SYMPTOMS,
  VERBS,
  WISHES,
} from './vocabulary.ts'

/** The topic of a session. Its texts return to the same few names, as real ones do. */
export interface Subject {
  readonly project: DemoProject
  readonly noun: string
  readonly functionName: string
  readonly file: string
  readonly symptom: string
  readonly cause: string
  readonly remedy: string
  readonly wish: string
  /** Says a talk that was written by hand; null: texts are made of templates. */
  readonly talker: Talker | null
}

/** `close` → `closes`, `compress` → `compresses`, `copy` → `copies`. */
const thirdPerson = (verb: string) =>
  /(?:s|sh|ch|x|z)$/.test(verb) ? `${verb}es` : /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : `${verb}s`

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1)

/** Makes a name in the language's case: `reconcileTenantLedger` or with underscores. */
export function identifier(random: Random, project: DemoProject): string {
  const parts = [random.pick(VERBS), random.pick(project.nouns), random.pick(NOUNS)]
  return project.language === 'py' || project.language === 'rs'
    ? parts.join('_')
    : parts.map((part, index) => (index === 0 ? part : capital(part))).join('')
}

export function filePath(random: Random, project: DemoProject): string {
  const name = `${random.pick(project.nouns)}-${random.pick(NOUNS)}`
  const file = project.language === 'ts' ? name : name.replace('-', '_')
  return `${project.folder}/${random.pick(project.folders)}/${file}.${project.language}`
}

export function chooseSubject(random: Random, project: DemoProject, talk: Talk | null = null): Subject {
  const subject = {
    project,
    noun: random.pick(project.nouns),
    functionName: identifier(random, project),
    file: filePath(random, project),
    symptom: random.pick(SYMPTOMS),
    cause: random.pick(CAUSES),
    remedy: random.pick(REMEDIES),
    wish: random.pick(WISHES),
    talker: null,
  }
  if (talk === null) return subject
  const { file, functionName } = talk
  return { ...subject, functionName, file: `${project.folder}/${file}`, talker: createTalker(random, talk) }
}

/** Writes a prompt. The first of a session introduces the topic; later ones follow up. */
export function promptText(random: Random, subject: Subject, isFirst: boolean): string {
  if (subject.talker) return subject.talker.prompt()
  const { noun, functionName, file, symptom, wish, project } = subject
  const short = file.slice(project.folder.length + 1)
  const first = [
    `The ${noun} ${symptom}. Can you find out why?`,
    `Please add ${wish}. The ${noun} code is in ${short}.`,
    `${functionName} ${symptom} since the last release, see the failing test. Fix it and explain the cause.`,
    `Read ${short} and tell me what could go wrong with the ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}.`,
    `Refactor the ${noun} ${random.pick(NOUNS)}: it does too much. Keep the public names.`,
    `We want ${wish}, but without ${random.pick(LIBRARIES)}. What would you do?`,
    `Upgrade ${random.pick(LIBRARIES)} and mend what breaks in the ${noun} tests.`,
  ]
  const later = [
    'go on',
    'Yes, do that.',
    `And the ${random.pick(ADJECTIVES)} case? The ${noun} must not ${random.pick(VERBS)} twice.`,
    `Now write a test for ${functionName} with a ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}.`,
    `Why not ${random.pick(REMEDIES)}?`,
    `Run the tests again and commit it.`,
    `It still ${symptom}.`,
    `Also rename ${functionName} to ${identifier(random, project)}, please.`,
    `Undo the change to the ${random.pick(NOUNS)}; I meant the ${random.pick(project.nouns)}.`,
    `What did we decide about the ${random.pick(project.nouns)} ${random.pick(NOUNS)}?`,
  ]
  return random.pick(isFirst ? first : later)
}

/** Writes reasoning about the subject, of the given number of sentences. */
export function thoughtText(random: Random, subject: Subject, sentences: number): string {
  if (subject.talker) return subject.talker.thought()
  const { noun, functionName, cause, remedy, symptom } = subject
  return Array.from({ length: sentences }, () =>
    random.pick([
      () =>
        `The ${noun} ${symptom}, so something between ${functionName} and the ${random.pick(NOUNS)} must be ${random.pick(ADJECTIVES)}.`,
      () => `It may be that ${cause}.`,
      () => `One way is to ${remedy}; another is to ${random.pick(REMEDIES)}.`,
      () =>
        `I should ${random.pick(VERBS)} the ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)} before I touch the ${noun}.`,
      () =>
        `${identifier(random, subject.project)} is called from ${random.int(2, 9)} places, ${random.int(1, 2)} of them in tests.`,
      () =>
        `If the ${random.pick(NOUNS)} is ${random.pick(ADJECTIVES)}, the ${random.pick(NOUNS)} cannot ${random.pick(VERBS)} it.`,
      () => `The user wants ${subject.wish}, not a new ${random.pick(NOUNS)}.`,
      () => `Wait: ${random.pick(CAUSES)}? No, line ${random.int(10, 900)} rules that out.`,
      () =>
        `${capital(random.pick(LIBRARIES))} does this with a ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}, which would fit here too.`,
    ])(),
  ).join(' ')
}

/** Writes the text before a step. */
export function stepText(random: Random, subject: Subject): string {
  if (subject.talker) return subject.talker.step()
  return random.pick([
    () => `I'll look at the ${random.pick(NOUNS)} first.`,
    () => `Let me check how ${subject.functionName} is used.`,
    () => `Now the ${random.pick(ADJECTIVES)} case.`,
    () => `The ${subject.noun} is fine. I'll ${random.pick(VERBS)} the ${random.pick(NOUNS)} next.`,
    () => `Found it: ${subject.cause}.`,
  ])()
}

/** Writes the answer that ends a turn, in Markdown. */
export function answerText(random: Random, subject: Subject): string {
  if (subject.talker) return subject.talker.answer()
  const { functionName, cause, remedy, file, noun, project } = subject
  const bullets = Array.from(
    { length: random.int(1, 4) },
    () =>
      `- \`${identifier(random, project)}\` now ${thirdPerson(random.pick(VERBS))} the ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}`,
  )
  return random.pick([
    () =>
      `The ${noun} is fixed. **Cause:** ${cause}. I chose to ${remedy}.\n\n${bullets.join('\n')}\n\nAll ${random.int(12, 480)} tests pass.`,
    () =>
      `Done. ${capital(random.pick(LIBRARIES))} was not needed: ${thoughtText(random, subject, 2)}\n\n${bullets.join('\n')}`,
    () =>
      `\`${functionName}\` in \`${file.slice(project.folder.length + 1)}\` is where it happens: ${cause}.\n\nI would ${remedy}. Shall I?`,
    () => `${thoughtText(random, subject, 3)}\n\n## What I changed\n\n${bullets.join('\n')}`,
  ])()
}

/** Writes the summary that replaces the conversation in a compaction. */
export function summaryText(random: Random, subject: Subject, prompts: readonly string[]): string {
  if (subject.talker) return toldSummary(subject, subject.talker.outcome(), prompts)
  return [
    '1. Primary request and intent:',
    `   The user works on the ${subject.noun} of ${subject.project.folder}: ${subject.symptom}; wanted is ${subject.wish}.`,
    '2. Key technical concepts:',
    ...Array.from(
      { length: 4 },
      () => `   - ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}, ${random.pick(LIBRARIES)}`,
    ),
    '3. Files and code:',
    `   - ${subject.file}: ${subject.functionName}`,
    '4. Errors and fixes:',
    `   - ${subject.cause}; the fix was to ${subject.remedy}.`,
    '5. All user messages:',
    ...prompts.slice(-8).map((prompt) => `   - ${prompt}`),
    '6. Current work:',
    `   ${thoughtText(random, subject, 3)}`,
  ].join('\n')
}

function toldSummary(subject: Subject, outcome: readonly string[], prompts: readonly string[]): string {
  return [
    '1. Primary request and intent:',
    `   ${outcome[0] ?? prompts[0] ?? ''}`,
    '2. Files and code:',
    `   - ${subject.file}: ${subject.functionName}`,
    '3. What was found and decided:',
    ...outcome.flatMap((text, index) => (index % 2 === 1 ? [`   - ${firstSentence(text)}`] : [])),
    '4. All user messages:',
    ...prompts.slice(-8).map((prompt) => `   - ${prompt}`),
  ].join('\n')
}

const firstSentence = (text: string) => /^[^\n]*?[.:!?](?=\s|$)/.exec(text)?.[0] ?? text.split('\n', 1)[0] ?? ''

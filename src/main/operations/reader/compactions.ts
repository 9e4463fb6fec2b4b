import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput, ParsedInput } from '../../../shared/contract/index.ts'
import { firstCharacters } from '../../../shared/cut-text.ts'
import { commandOutput } from '../../../shared/tool-output.ts'
import { filesOf, shapeSummary, toolShape } from '../../../shared/tool-shape.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { type Dropped, findDropped, groupOf } from '../../recall/dropped.ts'
import { makePack, type Pack } from '../../recall/pack.ts'
import {
  type CompactionRow,
  requireCompaction,
  requireLastCompaction,
  type SpokenText,
  textsBefore,
  timeOfCompactionBefore,
} from '../../store/read/compactions.ts'
import type { Reader } from '../../store/read/reader.ts'
import { toolSteps, type ToolStep } from '../../store/read/tool-steps.ts'
import { withShortIds } from './pack-items.ts'

type Answer = OperationOutput<'compactions.dropped'>

const MAX_TEXTS = 3000
const MAX_CONTENT_CHARACTERS = 600
const MAX_MISSING_WORDS = 60
const MAX_SUMMARY_CHARACTERS = 20_000
/** Tool calls of a session that are searched for files. */
const MAX_STEPS = 2000
const MAX_FILES = 100

export const compactionDropped: ReaderHandler<'compactions.dropped'> = (reader, input) => {
  const compaction = compactionOf(reader, input)
  const texts = textsBefore(reader, compaction, MAX_TEXTS + 1)
  const examined = texts.slice(0, MAX_TEXTS)
  const { dropped, covered } = findDropped(examined, compaction.content, input.query)
  const shown = dropped.slice(0, input.limit)
  const { budget } = input
  const calls = replacedCalls(reader, compaction)
  const lostTexts = shown.flatMap(({ text, lost }) => (lost.length > 0 ? [text] : []))
  return {
    items: shown.map(({ text, words, missing, lost, reworded, times }) => ({
      ...text,
      content: firstCharacters(text.content, MAX_CONTENT_CHARACTERS),
      words,
      missing: missing.length,
      missing_words: missing.slice(0, MAX_MISSING_WORDS),
      lost: firstSentences(lost),
      reworded: firstSentences(reworded),
      group: groupOf(text.kind, text.content),
      times,
    })),
    files: droppedFiles(calls, compaction.content),
    outputs: droppedOutputs(calls, compaction.content),
    summary: firstCharacters(compaction.content, MAX_SUMMARY_CHARACTERS),
    texts: examined.length,
    covered,
    lost: lostByGroup(dropped),
    partial: texts.length > MAX_TEXTS,
    ...(budget === undefined ? {} : { pack: packOf(reader, compaction, lostTexts, budget) }),
  }
}

/** Returns the first sentences that together have the length of a shown text; only the first one is ever cut. */
function firstSentences([first, ...others]: readonly string[]): string[] {
  if (first === undefined) return []
  let left = MAX_CONTENT_CHARACTERS - first.length
  const whole = others.filter((sentence) => (left -= sentence.length) >= 0)
  return [firstCharacters(first, MAX_CONTENT_CHARACTERS), ...whole]
}

function lostByGroup(dropped: readonly Dropped<SpokenText>[]) {
  const lost = { decision: 0, prompt: 0, answer: 0, thought: 0 }
  for (const { text, lost: sentences, times } of dropped)
    if (sentences.length > 0) lost[groupOf(text.kind, text.content)] += times
  return lost
}

function compactionOf(reader: Reader, { uuid, session_id }: ParsedInput<'compactions.dropped'>): CompactionRow {
  if (uuid !== undefined) return requireCompaction(reader, uuid)
  if (session_id !== undefined) return requireLastCompaction(reader, session_id)
  throw new AspyError('bad_input', 'name a compaction in uuid, or a session in session_id')
}

/** Returns the calls that a compaction replaced, newest first. */
function replacedCalls(reader: Reader, compaction: CompactionRow): ToolStep[] {
  const since = timeOfCompactionBefore(reader, compaction)
  return toolSteps(reader, { session_id: compaction.session_id, limit: MAX_STEPS }).filter(
    ({ timestamp }) => timestamp < compaction.timestamp && timestamp >= since,
  )
}

/** Returns the files of calls that a summary does not name. */
function droppedFiles(calls: readonly ToolStep[], summary: string): Answer['files'] {
  const files = new Map<string, Answer['files'][number]>()
  for (const { input, uuid, tool_name, timestamp } of calls) {
    for (const { path, isEdited } of filesOf(toolShape(tool_name, input))) {
      const name = path.split(/[/\\]/).at(-1) ?? ''
      if (!name.includes('.') || name.includes('*') || summary.includes(name)) continue
      const known = files.get(path)
      files.set(path, { ...(known ?? { path, uuid, timestamp }), edited: isEdited || known?.edited === true })
    }
  }
  return [...files.values()].slice(0, MAX_FILES)
}

/** Returns the outputs of calls on no file whose first line a summary does not have. */
function droppedOutputs(calls: readonly ToolStep[], summary: string): Answer['outputs'] {
  return calls
    .flatMap(({ uuid, result_uuid, tool_name: tool, input, output, timestamp }) => {
      const shape = toolShape(tool, input)
      const line = firstLineOf(output ?? '')
      if (filesOf(shape).length > 0 || shape.kind === 'todo' || line === '' || summary.includes(line)) return []
      if (result_uuid === null) return []
      return [{ uuid, result_uuid, tool, target: shapeSummary(shape), first_line: line, timestamp }]
    })
    .slice(0, MAX_FILES)
}

/** The first text in the JSON of an output, which may be cut anywhere. */
const FIRST_TEXT = /(?:^|"text":)"((?:[^"\\]|\\[^u]|\\u[\da-f]{4})*)/i

function firstLineOf(output: string): string {
  const text = FIRST_TEXT.exec(output)?.[1] ?? ''
  return (
    commandOutput(JSON.parse(`"${text}"`) as string)
      .text.trimStart()
      .split('\n', 1)[0]
      ?.trimEnd() ?? ''
  )
}

const LABELS = { user_prompt: 'prompt', assistant_text: 'answer', thinking: 'thinking' } as const

/** Packs lost texts in the order they were said. */
function packOf(reader: Reader, compaction: CompactionRow, texts: readonly SpokenText[], budget: number): Pack {
  const items = texts
    .toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
    .map(({ uuid, kind, turn_id, timestamp, content }) => ({
      label: LABELS[kind],
      session_id: compaction.session_id,
      turn_id,
      uuid,
      timestamp,
      project: null,
      text: content,
    }))
  return makePack(withShortIds(reader, items), {
    budgetTokens: budget,
    note: `Said before the compaction of ${compaction.timestamp} and not in its summary, or not all of it.`,
    foldsNearDuplicates: false,
  })
}

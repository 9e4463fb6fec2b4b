import { isReminder, textsOf } from '../message-texts.ts'
import type { Json, JsonObject } from '../../../../shared/event.ts'
import { isoTime, type DraftBase } from '../../draft-base.ts'
import type { AnyDraft, EventDraft } from '../../draft.ts'
import { interruptionIn } from './client-sentences.ts'
import { titleKey } from './title.ts'
import type { HashText } from '../../media.ts'
import { listOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import { DAY_MS } from '../../../../shared/time-units.ts'

/** A source may date these by the next request, which can follow days later. */
const SEEN_WITHIN_MS = 30 * DAY_MS

const OUTPUT = /<(local-command-stdout|local-command-stderr|bash-stdout|bash-stderr)>([\s\S]*?)<\/\1>/g
const STARTS_WITH_OUTPUT = /^<(?:local-command|bash)-std(?:out|err)>/

/** The place of a user message's marks in a source. */
export interface MarkPlace {
  /** Key of the message, unique for its source; each mark's key begins with it. */
  readonly key: string
  readonly parents: readonly string[]
  /** Shown in the history of a request: dated by it, not by when it happened. */
  readonly past: boolean
  /** Names the place of a message in its conversation: a request after a rewind shows it again. */
  readonly inConversation?: () => string
  /** Dates an interruption, which is not as late as the request that shows it. */
  readonly cut?: DraftBase
  /** Absent: names given to a session are read elsewhere. */
  readonly hash?: HashText
}

/**
 * Decodes the parts of a user message other than prompts and results: interruptions by the person, and the output of
 * `!` and local commands. The result is the same from wire and transcript.
 */
export function messageMarks(base: DraftBase, content: Json | undefined, place: MarkPlace): readonly AnyDraft[] {
  if (base.agent_id !== null) return []
  return textsOf(content).flatMap((text, at) => [
    ...interruptionDrafts(base, text, at, place),
    ...outputDrafts(base, text, `${place.key}:${at}`, place),
  ])
}

/** Names a message by what was said before it, which stays as it is when a rewind begins another branch behind it. */
export function placeInConversation(
  base: DraftBase,
  messages: readonly JsonObject[],
  at: number,
  hash: HashText,
): string {
  const said = messages
    .slice(Math.max(0, at - 2), at)
    .map(({ content }) => [
      textsOf(content).filter((text) => !isReminder(text)),
      listOf(content).flatMap((block) => stringOf(objectOf(block)['id']) ?? []),
    ])
  return `session:${base.session_id}:${at}:${hash(JSON.stringify(said))}`
}

/** Puts the output of a command behind the command, and before the prompt that was typed afterwards. */
export function asHappened(
  marks: readonly AnyDraft[],
  prompts: readonly EventDraft<'user_prompt'>[],
): readonly AnyDraft[] {
  const outputs = marks.filter(({ kind }) => kind === 'notification')
  const isCommand = ({ payload }: EventDraft<'user_prompt'>) =>
    ['command', 'local_command', 'shell'].includes(payload.entered_as ?? '')
  const isEachShown = prompts.filter(isCommand).length === outputs.length
  const ordered = prompts.flatMap((prompt): AnyDraft[] => {
    if (!isCommand(prompt)) return [...outputs.splice(0, outputs.length), prompt]
    const shown = outputs.splice(0, isEachShown ? 1 : 0)
    return [prompt, ...shown.map((output): AnyDraft => ({ ...output, parents: prompt.keys }))]
  })
  return [...marks.filter(({ kind }) => kind !== 'notification'), ...ordered, ...outputs]
}

/** Dates what a message with an interruption reports: the client was last heard `after` (ms since 1970), and then cut. */
export function asCut(base: DraftBase, content: Json | undefined, after: number | undefined): DraftBase {
  const isCut = after !== undefined && textsOf(content).some((text) => interruptionIn(text) !== null)
  return isCut ? { ...base, ts_wall: isoTime(after) } : base
}

function interruptionDrafts(base: DraftBase, text: string, at: number, place: MarkPlace): readonly AnyDraft[] {
  const what = interruptionIn(text)
  if (what === null) return []
  return [
    {
      ...(place.cut ?? base),
      kind: 'state_change',
      payload: { name: 'interrupted', to: what, ...history(place) },
      keys: [`${place.inConversation?.() ?? place.key}:${at}:interrupted`],
      text_identity: { text: `interrupted ${what}`, within_ms: within(place) },
      parents: place.parents,
    },
  ]
}

/** Decodes the output of a command that the client ran locally and showed to the person. */
export function outputDrafts(base: DraftBase, text: string, key: string, place: MarkPlace): readonly AnyDraft[] {
  if (!STARTS_WITH_OUTPUT.test(text.trimStart())) return []
  const output = [...text.matchAll(OUTPUT)]
    .map((match) => match[2]?.trim() ?? '')
    .filter((part) => part !== '')
    .join('\n')
  if (output === '') return []
  return [
    ...renamingDrafts(base, output, place),
    {
      ...base,
      kind: 'notification',
      payload: { text: output, level: 'command_output', ...history(place) },
      keys: [`${key}:output`],
      text_identity: { text: output, within_ms: within(place) },
      parents: place.parents,
    },
  ]
}

/** 2.1.332: the output of `/rename`; the transcript has a line with the name. */
function renamingDrafts(base: DraftBase, output: string, { past, parents, hash }: MarkPlace): readonly AnyDraft[] {
  const name = /^Session renamed to: ([^\n]+)$/.exec(output)?.[1]
  if (name === undefined || past || hash === undefined) return []
  const keys = [titleKey(base.session_id, 'custom_title', hash(name))]
  return [{ ...base, kind: 'state_change', payload: { name: 'custom_title', to: name }, keys, parents }]
}

const within = ({ past }: MarkPlace) => (past ? null : SEEN_WITHIN_MS)
const history = ({ past }: MarkPlace) => (past ? { seen_in_history: true as const } : {})

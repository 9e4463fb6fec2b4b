import type { Json, Payloads } from '../../../../shared/event.ts'
import { isObject, listOf, stringOf } from '../../../../shared/json-fields.ts'
import { apartFromContinuations, interruptionIn, isClientSentence, isContinuationSentence } from './client-sentences.ts'

/**
 * Extracts the user's own input from user messages. Claude Code also puts reminders, wrapped slash commands, their
 * output, task notifications and much more into them; hook, wire and transcript have the same texts, so all three use
 * this module (observed with Claude Code 2.1.330).
 */

/** Something the user typed. */
export interface UserInput {
  /** Cleaned: a slash command as typed ("/compact focus on tests"), `!` commands with their mark. */
  readonly text: string
  /** The text exactly as typed, tags and outer spaces included, if it differs from `text`. */
  readonly exact?: string
  /** Images and documents sent with it, unchanged. */
  readonly media: readonly Json[]
  /**
   * Time within which other sources may have seen it. `now`: within seconds. `late`: a local command, or a message
   * typed while the model worked, which the wire may carry minutes later.
   */
  readonly seen: 'now' | 'late'
  /** Set if it was not a plain prompt: a slash command, a `!` command, a `#` note, an accepted plan. */
  readonly as?: EnteredAs
}

export type EnteredAs = NonNullable<Payloads['user_prompt']['entered_as']>

const WRAPPED = [
  'system-reminder',
  'local-command-stdout',
  'local-command-stderr',
  'local-command-caveat',
  'bash-stdout',
  'bash-stderr',
  'task-notification',
  'user-prompt-submit-hook',
  'ide_opened_file',
  'ide_selection',
  'ide_diagnostics',
  'new-diagnostics',
  'teammate-message',
  'tools-used-before-summary',
  'tick',
].map((tag) => new RegExp(`<${tag}(?: [^>\\n]*)?>[\\s\\S]*?</${tag}>`, 'g'))

/** The client marks pasted text and surrounds it with empty lines; the text itself is the user's. */
const PASTED = /(?:\n\n)?<pasted_content id="([^"\n]*)">\n([\s\S]*?)\n<\/pasted_content id="\1">(?:\n\n)?/g

const QUEUED =
  /^The user sent a new message while you were working:\n([\s\S]*?)(?:\n\n(?:This is how Claude Code surfaces|IMPORTANT: After completing)[\s\S]*)?$/
/** Between two joined messages, a closing sentence ends the first and an opening begins the next. */
const QUEUED_NEXT =
  /\n\n(?=The user sent a new message while you were working:\n)(?<=\n\n(?:This is how Claude Code surfaces|IMPORTANT: After completing)[^\n]{0,1000}\n\n)/
const COMMAND_NAME = /<command-name>([\s\S]*?)<\/command-name>/
const COMMAND_ARGS = /<command-args>([\s\S]*?)<\/command-args>/
const BASH_INPUT = /^<bash-input>([\s\S]*?)<\/bash-input>$/
const MEMORY_INPUT = /^<user-memory-input>([\s\S]*?)<\/user-memory-input>$/
/**
 * Blocks that the client writes entirely, whatever follows the tag: it adds a sentence after a notification (2.1.17
 * on).
 */
const CLIENT_BLOCK =
  /^<(task-notification|agent-notification|local-command-stdout|local-command-stderr|bash-stdout|bash-stderr)>[\s\S]*<\/\1>/
/** With this opening the client sends a plan that a person accepted, in a new session (2.1.12 on). */
const PLAN_OPENING = /^Implement the following plan:\n/
const REMINDER = /<system-reminder>([\s\S]*?)<\/system-reminder>/g

/** Returns the user's part of a text; '' if all of it is the client's. */
export function promptText(text: string): string {
  if (CLIENT_BLOCK.test(text.trim()) || isClientSentence(text)) return ''
  const bare = (text.includes('</') ? WRAPPED.reduce((rest, wrapper) => rest.replace(wrapper, ''), text) : text).trim()
  const command = COMMAND_NAME.exec(bare)
  if (command && bare.startsWith('<command-')) return commandText(command[1] ?? '', COMMAND_ARGS.exec(bare)?.[1] ?? '')
  const bash = BASH_INPUT.exec(bare)
  if (bash) return `!${(bash[1] ?? '').trim()}`
  const memory = MEMORY_INPUT.exec(bare)
  if (memory) return `#${(memory[1] ?? '').trim()}`
  if (isClientSentence(bare)) return ''
  return bare.replace(PASTED, (_, __, pasted: string) => pasted).trim()
}

/**
 * Returns the text as typed, since tags inside it are the person's. A command, which the client wraps, has no other
 * form.
 */
export function exactWords(text: string, own = promptText(text)): string {
  const isCommand = own.startsWith('/') || /^<(?:command-|bash-input|user-memory-input)/.test(text.trim())
  return own === '' || isCommand ? own : text.replace(PASTED, (_, __, pasted: string) => pasted)
}

/**
 * Returns a text that was sent with the outer spaces that a person typed or piped; without tags, since they may be the
 * client's, as the break may be that it puts between two texts.
 */
function sentWords(text: string, own: string, isLast: boolean): string {
  const exact = exactWords(text, own)
  if (exact.trim() !== own) return own
  return isLast ? exact : exact.replace(/\n$/, '')
}

/**
 * The way in which a text was entered, by the wrapper or opening that the client gives it; undefined for a plain
 * prompt.
 */
function enteredAs(text: string): EnteredAs | undefined {
  const bare = text.trim()
  // In the wrapper of a local command, the name comes first; in that of a command for the model, the message does.
  if (bare.startsWith('<command-name>')) return 'local_command'
  if (bare.startsWith('<command-')) return 'command'
  if (bare.startsWith('<bash-input>')) return 'shell'
  if (bare.startsWith('<user-memory-input>')) return 'memory'
  return PLAN_OPENING.test(bare) ? 'plan' : undefined
}

/** A text that the client puts next to a person's own block: an editor's context, or one whole reminder. */
function isAttached(text: string): boolean {
  const bare = text.trim()
  return (
    /^<(ide_opened_file|ide_selection|ide_diagnostics)>[\s\S]*<\/\1>$/.test(bare) ||
    (/^<system-reminder>[\s\S]*<\/system-reminder>$/.test(bare) && bare.indexOf('<system-reminder>', 1) === -1)
  )
}

function commandText(name: string, args: string): string {
  const slashed = name.trim().startsWith('/') ? name.trim() : `/${name.trim()}`
  return args.trim() === '' ? slashed : `${slashed} ${args.trim()}`
}

/**
 * Returns the messages typed while the model worked, which the client passes on as a system message, a reminder, or a
 * text next to a call's result; null for anything else. It joins several into one text (2.1.330): each but the last
 * has its closing sentence before the next one's opening.
 */
export function queuedTexts(text: string): readonly string[] | null {
  const trimmed = text.trim()
  if (!QUEUED.test(trimmed)) return null
  return trimmed
    .split(QUEUED_NEXT)
    .map((message) => promptText(QUEUED.exec(message)?.[1] ?? ''))
    .filter((own) => own !== '')
}

/**
 * The user's inputs in a message's content, in order. A wrapped command takes the text after it as its expansion,
 * unless its output is in between. The client joins messages without an answer in between and ends each text but the
 * last with a line break (observed). Text before such a break, or before "[Request interrupted…", was sent with an
 * earlier request that failed, and counts only with `all`. `asTyped`: the source has the words as they were typed,
 * except for blocks that are entirely the client's. `isHuman`: the source knows that a person typed it, so any tag was
 * typed by that person.
 */
export function userInputs(
  content: Json | undefined,
  all = false,
  asTyped = false,
  isHuman = false,
): readonly UserInput[] {
  let inputs: UserInput[] = []
  let words: string[] = []
  let typed: string[] = []
  let media: Json[] = []
  let expansion: 'none' | 'awaited' | 'open' | 'whole' = 'none'
  let isJoint = false
  const flush = () => {
    if (words.length > 0 || media.length > 0) {
      const [text, exact] = [words.join('\n'), typed.join('\n')]
      const as = enteredAs(text)
      inputs.push({
        text,
        media,
        seen: 'now',
        ...(exact === text ? {} : { exact }),
        ...(as === undefined ? {} : { as }),
      })
    }
    words = []
    typed = []
    media = []
  }
  /** Another message begins: earlier input belongs to an earlier request. */
  const beginAnew = () => {
    if (all) return flush()
    inputs = inputs.filter(({ seen }) => seen === 'late')
    words = []
    typed = []
    media = []
  }
  const blocks: readonly Json[] = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
  const pieces = asTyped ? blocks : blocks.flatMap(inPieces)
  const lastText = pieces.findLast((block) => isObject(block) && block['type'] === 'text')
  for (const block of pieces) {
    if (!isObject(block)) continue
    if (block['type'] === 'image' || block['type'] === 'document') media.push(block)
    const text = block['type'] === 'text' ? stringOf(block['text']) : null
    if (text === null) continue
    const afterJoint = isJoint
    isJoint = text.endsWith('\n')
    for (const reminded of queuedInReminders(text)) inputs.push({ text: reminded, media: [], seen: 'late' })
    // Earlier text in the same message belongs to an earlier request.
    if (interruptionIn(text) !== null || isContinuationSentence(text)) {
      flush()
      if (!all) inputs = []
      expansion = 'none'
    }
    const last = inputs.at(-1)
    if (isLocalOutput(text)) {
      if (last && expansion !== 'none') inputs[inputs.length - 1] = { ...last, seen: 'late' }
      expansion = 'none'
    }
    const queued = queuedTexts(text)
    if (queued !== null) {
      flush()
      inputs.push(...queued.map((own): UserInput => ({ text: own, media: [], seen: 'late' })))
      continue
    }
    const own = promptText(text) || (isHuman && !isAttached(text) && interruptionIn(text) === null ? text.trim() : '')
    if (own === '') continue
    if (isWrappedCommand(text)) {
      if (afterJoint) beginAnew()
      else flush()
      const as = enteredAs(text)
      const seen = as === 'command' ? 'now' : 'late'
      inputs.push({ text: own, media: [], seen, ...(as === undefined ? {} : { as }) })
      expansion = 'awaited'
    } else if (expansion === 'awaited' || expansion === 'open') {
      expansion = isJoint ? 'whole' : 'open'
    } else {
      if (expansion === 'whole' || (afterJoint && words.length > 0)) beginAnew()
      expansion = 'none'
      words.push(own)
      // Between the pieces of one text are breaks that nobody typed.
      if (asTyped) typed.push(exactWords(text, own))
      else typed.push(blocks.includes(block) ? sentWords(text, own, block === lastText) : own)
    }
  }
  flush()
  return inputs
}

/**
 * Returns messages typed while the model worked from the reminders in a text (older models get them after a tool
 * result).
 */
export function queuedInReminders(text: string): readonly string[] {
  if (!text.includes('The user sent a new message')) return []
  return [...text.matchAll(REMINDER)].flatMap((match) => queuedTexts(match[1] ?? '') ?? [])
}

/**
 * A notice that the client appended to a text separates it from what follows, just as a notice in its own block does.
 */
function inPieces(block: Json): readonly Json[] {
  const text = isObject(block) && block['type'] === 'text' ? stringOf(block['text']) : null
  const pieces = text === null ? [] : apartFromContinuations(text)
  return pieces.length < 2 ? [block] : pieces.map((piece) => ({ type: 'text', text: piece }))
}

function isLocalOutput(text: string): boolean {
  return /<(?:local-command|bash)-std(?:out|err)>/.test(text)
}

function isWrappedCommand(text: string): boolean {
  return /<command-name>|<bash-input>|<user-memory-input>/.test(text) && !text.trim().startsWith('<system-reminder>')
}

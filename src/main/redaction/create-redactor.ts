import type { AnyDraft } from '../decode/draft.ts'
import { BUILT_IN_RULES } from './built-in-rules.ts'
import { createCleanTexts } from './clean-texts.ts'
import { createCutSecrets } from './cut-secrets.ts'
import { redactEnvValues } from './env-values.ts'
import { allowedHeaders } from './header-list.ts'
import { redactNeighbours } from './neighbours.ts'
import { createEnvCalls, createJsonWalk } from './json-walk.ts'
import type { OwnPatterns, Redactor, StreamRedactor } from './redactor.ts'
import { redactSighting } from './redact-sighting.ts'
import type { Rule } from './rule.ts'
import { createScanner } from './scanner.ts'
import { createSecretMarks } from './secret-marks.ts'
import { STRUCTURE } from './structure-words.ts'
import { replacePrinted } from './printed-rule.ts'
import { createStream, redactJoined, redactText, type TextRules } from './text-redactor.ts'
import { createTextTime, type TextTimeOptions } from './text-time.ts'
import { homeFolderRule } from './value-rules.ts'

export interface RedactorOptions {
  /** Keys all marks and hashes. */
  readonly hashKey: Buffer
  /** If false, texts are not redacted; headers are still filtered and accounts still hashed. */
  readonly enabled: boolean
  /** Tried in addition to the built-in rules. */
  readonly extraRules?: readonly Rule[]
  /** Replaces e-mail addresses. */
  readonly maskEmails?: boolean
  /** This folder is written as `~`. */
  readonly homeFolder?: string
  /** Applied after the built-in rules, but not to streams. */
  readonly ownPatterns?: OwnPatterns
  /** Limits the time of the built-in rules for one text. */
  readonly textTime?: TextTimeOptions
}

/** Without redaction, nothing is held back. */
const openStream: StreamRedactor = { push: (piece) => piece, end: () => '', endBefore: () => '', held: () => '' }
/** More than ten megabytes of worst-case text take. */
const TEXT_MS = 2000
const MAX_CLEAN_NAMES = 5_000

/** Creates the redactor of a process, which everything passes before it is stored, shown or logged. */
export function createRedactor(options: RedactorOptions): Redactor {
  const { hashKey, enabled, extraRules = [], maskEmails = false, homeFolder, ownPatterns } = options
  const time = createTextTime(options.textTime ?? { textMs: TEXT_MS })
  const scanner = createScanner([...extraRules, ...(homeFolder ? [homeFolderRule(homeFolder)] : []), ...BUILT_IN_RULES])
  const { markOf, countedMark, hash, hashAccount, counts } = createSecretMarks(hashKey)
  const rules: TextRules = { scanner, mark: countedMark, masksEmails: maskEmails }
  const envCalls = createEnvCalls()
  const cutSecrets = createCutSecrets()
  const cleanTexts = createCleanTexts()
  const cleanNames = new Set<string>()

  function builtInText(input: string): string {
    if (!enabled) return input
    const isOver = time.begin()
    const redacted = redactText(rules, input, time, isOver)
    return cutSecrets.redact(redacted, isOver) ?? time.leaveOut(redacted.length)
  }
  const ownText = (input: string) =>
    ownPatterns === undefined || STRUCTURE.has(input) ? input : ownPatterns.text(input, countedMark)
  /** Most texts come at least twice: in a request and its event, in an answer and the next request. */
  function text(input: string): string {
    if (!enabled || cleanTexts.has(input)) return input
    const redacted = ownText(builtInText(input))
    if (redacted === input) cleanTexts.add(input)
    return redacted
  }
  function joined(texts: readonly string[]): string[] {
    if (!enabled) return [...texts]
    const clean = redactJoined(rules, texts, time, (part, { rule, secret }) => {
      cutSecrets.note(part, markOf(rule, secret))
      cleanTexts.clear()
    })
    return ownPatterns?.joined(clean, countedMark) ?? clean
  }
  const envFile = (input: string) => (enabled ? text(redactEnvValues(input, envValue)) : input)
  const printed = (input: string) => (enabled ? (replacePrinted(input, fieldValue) ?? text(input)) : input)
  const edits = { text, name, secret: fieldValue, id: builtInText, envFile, printed, joined, userId }
  const json = createJsonWalk(edits, envCalls)
  const walks = {
    envFile: createJsonWalk({ ...edits, text: envFile }, envCalls),
    printed: createJsonWalk({ ...edits, text: printed }, envCalls),
  }

  /** Walks the sighting of a draft: that of a tool result shows what the result shows. */
  function sightingWalk(draft: AnyDraft) {
    const shown = draft.kind === 'tool_result' ? envCalls.shown(draft.payload.call_id) : undefined
    return shown === undefined ? json : walks[shown]
  }

  /** Redacts a field's name. JSON repeats a few hundred names, so clean ones are cached. */
  function name(input: string): string {
    if (cleanNames.has(input)) return input
    const redacted = text(input)
    if (redacted === input && input.length < 64 && cleanNames.size < MAX_CLEAN_NAMES) cleanNames.add(input)
    return redacted
  }

  function envValue(value: string): string {
    const redacted = text(value)
    return /^\[redacted:[a-z0-9-]+:[0-9a-f]{4}\]$/.test(redacted) ? redacted : countedMark('env-value', value)
  }
  /** A value with a revealing field name: keeps the mark of a known format. */
  function fieldValue(value: string): string {
    if (!enabled) return value
    const redacted = text(value)
    return redacted === value || !redacted.startsWith('[redacted:') ? countedMark('secret-value', value) : redacted
  }
  function userId(value: string): string {
    return value.startsWith('[redacted:') ? value : countedMark('user-id', value)
  }

  return {
    text,
    joined,
    envFile,
    json,
    hash,
    neighbours: (drafts) => (enabled ? redactNeighbours(drafts, joined) : [...drafts]),
    headers: (headers) => allowedHeaders(headers, text),
    stream: (before) => (enabled ? createStream({ ...rules, mark: markOf }, before) : openStream),
    counts,
    timeouts: () => time.count(),
    draft<T extends AnyDraft>(draft: T): T {
      const { account, error_message: errorMessage, text_identity: identity, sighting, project } = draft
      const payload = json(draft.payload)
      return {
        ...draft,
        payload,
        ...(errorMessage ? { error_message: text(errorMessage) } : {}),
        ...(identity ? { text_identity: { ...identity, text: text(identity.text) } } : {}),
        ...(sighting
          ? { sighting: redactSighting(sighting, { before: draft.payload, after: payload }, sightingWalk(draft)) }
          : {}),
        ...(project ? { project: text(project) } : {}),
        ...(account ? { account: hashAccount(account) } : {}),
      }
    },
  }
}

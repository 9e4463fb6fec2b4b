import { createHmac, createSecretKey } from 'node:crypto'
import type { AnyDraft } from '../decode/draft.ts'
import { createCleanTexts } from './clean-texts.ts'
import { createCutSecrets } from './cut-secrets.ts'
import { ENCODED_FORMATS } from './encoded-formats.ts'
import { redactEnvValues } from './env-values.ts'
import { keptHeaders } from './header-list.ts'
import { redactNeighbours } from './neighbours.ts'
import { createEnvCalls, walkJson } from './json-walk.ts'
import { KEY_FORMATS } from './key-formats.ts'
import { privateKeyRule } from './private-key-rule.ts'
import type { OwnPatterns, Redactor, StreamRedactor } from './redactor.ts'
import type { Rule } from './rule.ts'
import { createScanner } from './scanner.ts'
import { STRUCTURE } from './structure-words.ts'
import { createStream, redactJoined, redactText } from './text-redactor.ts'
import { createTextTime, type TextTimeOptions } from './text-time.ts'
import { homeFolderRule, VALUE_RULES } from './value-rules.ts'

export interface RedactorOptions {
  /** Keys all marks and hashes: without it nobody can test a guess against them. */
  readonly hashKey: Buffer
  /** Off: texts stay as they are; headers keep to their list and accounts are hashed all the same. */
  readonly enabled: boolean
  /** Tried besides the built-in ones. */
  readonly extraRules?: readonly Rule[]
  /** Replace e-mail addresses. */
  readonly maskEmails?: boolean
  /** Write this folder as `~`. */
  readonly homeFolder?: string
  /** Asked after the built-in rules; text in pieces is not shown to them. */
  readonly ownPatterns?: OwnPatterns
  /** What the built-in rules may take for one text. */
  readonly textTime?: TextTimeOptions
}

/** Nothing is held back where nothing is looked for. */
const openStream: StreamRedactor = { push: (piece) => piece, end: () => '', endBefore: () => '', held: () => '' }
/** Ten megabytes made to be slow take less. */
const TEXT_MS = 2000
/** Marks that are remembered, so that a secret in every request costs one hash. */
const MOST_MARKS = 5_000

/** The redactor of a process: first in line, before anything is stored, shown or logged. */
export function createRedactor(options: RedactorOptions): Redactor {
  const { hashKey, enabled, extraRules = [], maskEmails = false, homeFolder, ownPatterns } = options
  const time = createTextTime(options.textTime ?? { textMs: TEXT_MS })
  const scanner = createScanner([
    ...extraRules,
    ...(homeFolder ? [homeFolderRule(homeFolder)] : []),
    privateKeyRule,
    ...KEY_FORMATS,
    ...VALUE_RULES,
    ...ENCODED_FORMATS,
  ])
  const counts: { [rule: string]: number } = {}
  const marks = new Map<string, string>()
  // An account is on every draft, and the same one: hashed once.
  let lastAccount = { account: '', hash: '' }
  const envCalls = createEnvCalls()
  const cutSecrets = createCutSecrets()
  const cleanTexts = createCleanTexts()
  const cleanNames = new Set<string>()
  const hmacKey = createSecretKey(hashKey)
  const hash = (text: string) => createHmac('sha256', hmacKey).update(text).digest().subarray(0, 16).toString('hex')

  function markOf(rule: string, secret: string): string {
    const known = marks.get(secret)
    // A few secrets can be seen under two names; the digits are the secret's own.
    const digits = known ?? hash(`secret:${secret}`).slice(0, 4)
    if (known === undefined && secret.length < 1000) {
      if (marks.size >= MOST_MARKS) marks.clear()
      marks.set(secret, digits)
    }
    return `[redacted:${rule}:${digits}]`
  }
  function countedMark(rule: string, secret: string): string {
    counts[rule] = (counts[rule] ?? 0) + 1
    return markOf(rule, secret)
  }

  function hashAccount(account: string): string {
    if (account !== lastAccount.account) lastAccount = { account, hash: hash(`account:${account}`) }
    return lastAccount.hash
  }

  function builtInText(input: string): string {
    if (!enabled) return input
    const isOver = time.begin()
    const redacted = redactText(scanner, countedMark, maskEmails, input, time, isOver)
    return cutSecrets.redact(redacted, isOver) ?? time.leaveOut(redacted.length)
  }
  const ownText = (input: string) =>
    ownPatterns === undefined || STRUCTURE.has(input) ? input : ownPatterns.text(input, countedMark)
  /** Most texts come twice or more: in a request and its event, in an answer and the request after it. */
  function text(input: string): string {
    if (!enabled || cleanTexts.has(input)) return input
    const redacted = ownText(builtInText(input))
    if (redacted === input) cleanTexts.add(input)
    return redacted
  }
  function joined(texts: readonly string[]): string[] {
    if (!enabled) return [...texts]
    const clean = redactJoined(scanner, countedMark, maskEmails, texts, time, (part, { rule, secret }) => {
      cutSecrets.note(part, markOf(rule, secret))
      cleanTexts.clear()
    })
    return ownPatterns?.joined(clean, countedMark) ?? clean
  }
  const envFile = (input: string) => (enabled ? text(redactEnvValues(input, envValue)) : input)
  const json = <T>(value: T) => walkJson(value, { text, name, id: builtInText, envFile, joined, userId }, envCalls) as T

  /** What a sighting knows more of a .env file's reading shows that file too. */
  function sightingOf(draft: AnyDraft, sighting: NonNullable<AnyDraft['sighting']>) {
    const shows = draft.kind === 'tool_result' && envCalls.has(draft.payload.call_id)
    return shows
      ? (walkJson(
          sighting,
          { text: envFile, name, id: builtInText, envFile, joined, userId },
          envCalls,
        ) as typeof sighting)
      : json(sighting)
  }

  /** A field's name; the few hundred that JSON is full of are looked at once. */
  function name(input: string): string {
    if (cleanNames.has(input)) return input
    const redacted = text(input)
    if (redacted === input && input.length < 64 && cleanNames.size < MOST_MARKS) cleanNames.add(input)
    return redacted
  }

  function envValue(value: string): string {
    const redacted = text(value)
    return /^\[redacted:[a-z0-9-]+:[0-9a-f]{4}\]$/.test(redacted) ? redacted : countedMark('env-value', value)
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
    headers: (headers) => keptHeaders(headers, text),
    stream: (before) => (enabled ? createStream(scanner, markOf, maskEmails, before) : openStream),
    counts: () => ({ ...counts }),
    timeouts: () => time.count(),
    draft<T extends AnyDraft>(draft: T): T {
      const { account, error_message: errorMessage, text_identity: identity, sighting, project } = draft
      return {
        ...draft,
        payload: json(draft.payload),
        ...(errorMessage ? { error_message: text(errorMessage) } : {}),
        ...(identity ? { text_identity: { ...identity, text: text(identity.text) } } : {}),
        ...(sighting ? { sighting: sightingOf(draft, sighting) } : {}),
        ...(project ? { project: text(project) } : {}),
        ...(account ? { account: hashAccount(account) } : {}),
      }
    },
  }
}

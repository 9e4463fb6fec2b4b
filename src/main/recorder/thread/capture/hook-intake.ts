import { AspyError, toErrorAnswer } from '../../../../shared/contract/errors.ts'
import type { JsonObject } from '../../../../shared/event.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import { decodeHook } from '../../../decode/client/hooks.ts'
import { parseJson } from '../../../decode/json-access.ts'
import { isObject } from '../../../../shared/json-fields.ts'
import type { Pipeline, PipelineOptions } from '../../../pipeline/pipeline.ts'
import type { Redactor } from '../../../redaction/redactor.ts'
import type { CommitGroup } from '../write/commit-queue.ts'
import type { ToRecorder } from '../../protocol.ts'
import type { Tally } from '../../tally.ts'
import type { VitalSigns } from '../../vital-signs.ts'

export interface HookIntakeOptions {
  readonly redactor: Pick<Redactor, 'hash' | 'text'>
  readonly pipeline: Pick<Pipeline, 'redact'>
  readonly tally: Pick<Tally, 'drop'>
  readonly vitalSigns: Pick<VitalSigns, 'workOn'>
  readonly logger: PipelineOptions['logger']
  enqueue(group: CommitGroup): void
  /** The hook is stored or spooled, or could not be decoded. */
  recorded(id: string): void
}

/** A hook whose body was parsed. */
export interface ReceivedHook extends Omit<Extract<ToRecorder, { readonly type: 'hook' }>, 'body'> {
  readonly body: JsonObject
}

/** Decodes hooks as they arrive. One that cannot be decoded is counted and dropped. */
export class HookIntake {
  readonly #options: HookIntakeOptions

  constructor(options: HookIntakeOptions) {
    this.#options = options
  }

  /** Parses a hook's body. Returns null if it is not a hook. */
  parse(message: Extract<ToRecorder, { readonly type: 'hook' }>): ReceivedHook | null {
    const { vitalSigns, recorded } = this.#options
    vitalSigns.workOn(message.id)
    try {
      return { ...message, body: parseHook(message.body) }
    } catch (error) {
      this.#fail(error)
      recorded(message.id)
      return null
    } finally {
      vitalSigns.workOn(null)
    }
  }

  take({ id, body, wall, at }: ReceivedHook): void {
    const { redactor, pipeline, vitalSigns, enqueue, recorded } = this.#options
    const arrivedAt = performance.now()
    let drafts: readonly AnyDraft[] = []
    vitalSigns.workOn(id)
    try {
      // The id identifies a hook that is delivered again after a restart.
      drafts = decodeHook(body, { wall, at }, redactor.hash).map((draft, index) =>
        pipeline.redact(draft.keys.length > 0 ? draft : { ...draft, keys: [`hook:${id}:${index}`] }),
      )
    } catch (error) {
      this.#fail(error)
    }
    vitalSigns.workOn(null)
    enqueue({ drafts, arrivedAt, onSettled: () => recorded(id) })
  }

  #fail(error: unknown): void {
    const { tally, redactor, logger } = this.#options
    tally.drop('decode_failed')
    logger.warn({ message: redactor.text(toErrorAnswer(error).message) }, 'a hook could not be decoded')
  }
}

function parseHook(bytes: Uint8Array): JsonObject {
  const hook = parseJson(new TextDecoder().decode(bytes))
  if (!isObject(hook)) throw new AspyError('bad_input', 'the body of a hook is not a JSON object')
  if (!isName(hook['session_id'], 200) || !isName(hook['hook_event_name'], 100))
    throw new AspyError('bad_input', 'a hook names no session or no event')
  return hook
}

const isName = (value: unknown, maxChars: number): boolean =>
  typeof value === 'string' && value !== '' && value.length <= maxChars

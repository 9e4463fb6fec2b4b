import { toErrorAnswer } from '../../../../shared/contract/errors.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import { decodeHook } from '../../../decode/client/claude-code/hooks/decode-hook.ts'
import type { Pipeline, PipelineOptions } from '../../../pipeline/pipeline.ts'
import type { Redactor } from '../../../redaction/redactor.ts'
import type { CommitGroup } from '../write/commit-queue.ts'
import type { ToRecorder } from '../../protocol.ts'
import type { Tally } from '../../tally.ts'

export interface HookIntakeOptions {
  readonly redactor: Pick<Redactor, 'hash' | 'text'>
  readonly pipeline: Pick<Pipeline, 'redact'>
  readonly tally: Pick<Tally, 'drop'>
  readonly logger: PipelineOptions['logger']
  enqueue(group: CommitGroup): void
  /** The hook is stored or spooled, or could not be decoded. */
  recorded(id: string): void
}

/** Decodes hooks as they arrive. One that cannot be decoded is counted and dropped. */
export function createHookIntake({ redactor, pipeline, tally, logger, enqueue, recorded }: HookIntakeOptions) {
  return ({ id, body, wall, at }: Extract<ToRecorder, { readonly type: 'hook' }>): void => {
    const arrivedAt = performance.now()
    let drafts: readonly AnyDraft[] = []
    try {
      // The id identifies a hook that is delivered again after a restart.
      drafts = decodeHook(body, { wall, at }, redactor.hash).map((draft, index) =>
        pipeline.redact(draft.keys.length > 0 ? draft : { ...draft, keys: [`hook:${id}:${index}`] }),
      )
    } catch (error) {
      tally.drop('decode_failed')
      logger.warn({ message: redactor.text(toErrorAnswer(error).message) }, 'a hook could not be decoded')
    }
    enqueue({ drafts, arrivedAt, onSettled: () => recorded(id) })
  }
}

import type { Json } from '../../../../shared/event.ts'
import { parseJson } from '../../json-access.ts'
import { listOf, numberOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'

/** Facts about a call in the text of its result. */
export interface ToolOutcome {
  readonly isError: boolean
  readonly isRejected: boolean
  readonly durationMs: number | null
}

/** The header lines that Codex writes before the output of a command (0.169; earlier versions have some of them). */
const HEADER_LINES = 8
const EXIT_CODE = /^(?:Process exited with code|Exit code:) (-?\d+)$/m
const WALL_TIME = /^Wall time: (\d+(?:\.\d+)?) seconds$/m
const REJECTED = /^(?:exec command |patch |apply_patch )?(?:rejected|denied|declined) by (?:the )?user\b/i
const FAILED =
  /^(?:exec_command failed|apply_patch verification failed|failed to parse|unsupported call|aborted\b|tool call error)/i

/** Reads the outcome of a tool from its output: a text, parts, or JSON with `metadata` in versions before 0.60. */
export function toolOutcome(output: Json | undefined): ToolOutcome {
  const text = typeof output === 'string' ? output : (stringOf(objectOf(listOf(output)[0])['text']) ?? '')
  const older = text.startsWith('{"') ? objectOf(parseJson(text)) : {}
  const metadata = objectOf(older['metadata'])
  const header = text.split('\n', HEADER_LINES).join('\n').split('\nOutput:')[0] ?? ''
  const exit = numberOf(metadata['exit_code']) ?? numberIn(EXIT_CODE, header)
  const seconds = numberOf(metadata['duration_seconds']) ?? numberIn(WALL_TIME, header)
  const isRejected = REJECTED.test(text.trimStart())
  return {
    isError: isRejected || (exit !== null && exit !== 0) || FAILED.test(text.trimStart()),
    isRejected,
    durationMs: seconds === null ? null : Math.round(seconds * 1000),
  }
}

function numberIn(pattern: RegExp, text: string): number | null {
  const found = pattern.exec(text)?.[1]
  return found === undefined ? null : Number(found)
}

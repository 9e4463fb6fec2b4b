import { commandIn, toolShape } from '../../shared/tool-shape.ts'
import { objectOf } from '../../shared/json-fields.ts'
import type { RecordedCall } from './call-steps.ts'
import { joinedPath } from './joined-path.ts'
import { planOf } from './shell-steps.ts'

/** A call with its place in a session. */
export interface SessionCall extends RecordedCall {
  readonly session_id: string
  readonly turn_id: number
  readonly agent_id: string | null
  /** Who told of it first. A transcript says for each call in which folder it ran, others only where the session began. */
  readonly source: string
}

interface Shell {
  /** What is recorded of the session. */
  readonly recorded: string | null
  readonly folder: string | null
  readonly turn: number
}

/**
 * Returns the calls with the folders in which they ran: a `cd` of Claude Code's own shell holds for its later commands, until
 * the session is resumed. Where that is not seen, or may have happened, the folder is not known.
 */
export function withFolders<Call extends SessionCall>(calls: readonly Call[]): Call[] {
  const shells = new Map<string, Shell>()
  return calls.map((call) => {
    if (call.toolName !== 'Bash' || call.source === 'transcript' || call.isRejected) return call
    const before = shells.get(call.session_id)
    const recorded = call.folder
    const isNew = before === undefined || before.recorded !== recorded
    const isAway = !isNew && before.folder !== recorded
    // Every command of an agent begins in its own folder.
    const isKnown = !isAway || (call.agent_id === null && before.turn === call.turn_id)
    const folder = isNew ? recorded : isKnown ? before.folder : null
    const placed = folder === recorded ? call : { ...call, folder }
    if (call.agent_id === null)
      shells.set(call.session_id, { recorded, folder: folderAfter(placed), turn: call.turn_id })
    return placed
  })
}

const RESET = /^Shell cwd was reset to (.*)$/m

function folderAfter({ toolName, input, output, isSuccess, folder }: RecordedCall): string | null {
  const [, reset] = RESET.exec(output) ?? []
  if (reset !== undefined) return joinedPath(null, reset.trim())
  const shape = toolShape(toolName, input)
  const line = shape.kind === 'command' ? shape.command : (commandIn(objectOf(input)) ?? '')
  const plan = planOf(line, folder)
  if (isSuccess === false) return folder
  if (plan !== null) return isSuccess === null && plan.folder !== folder ? null : plan.folder
  return /\b(?:cd|pushd|popd)\b/.test(line) ? null : folder
}

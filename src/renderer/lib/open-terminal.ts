import { OPEN_TERMINAL, START_CLIENT } from '../../shared/bridge.ts'
import { fromErrorAnswer } from '../../shared/contract/errors.ts'

/** Returns true in the desktop app; a browser cannot open a terminal. */
export const canOpenTerminal = (): boolean => window.aspy !== undefined

/** Opens a terminal that resumes a session. Throws an AspyError that says what to do. */
export async function openTerminal(sessionId: string): Promise<void> {
  const answer = await window.aspy?.call(OPEN_TERMINAL, { session_id: sessionId })
  if (answer === undefined) throw new Error('only the desktop app can open a terminal')
  if (!answer.ok) throw fromErrorAnswer(answer.error)
}

/** Asks for a folder and starts Claude Code in a terminal there. Returns false if none was chosen. */
export async function startClient(): Promise<boolean> {
  const answer = await window.aspy?.call(START_CLIENT, {})
  if (answer === undefined) throw new Error('only the desktop app can open a terminal')
  if (!answer.ok) throw fromErrorAnswer(answer.error)
  return answer.json === 'true'
}

/** The question before the proxy stops while clients still use it. */
export interface QuitQuestion {
  readonly message: string
  readonly detail: string
  readonly buttons: readonly string[]
  readonly answers: readonly QuitAnswer[]
}
/** `keep` closes the window but keeps the proxy running. */
export type QuitAnswer = 'keep' | 'quit' | 'stay'

/** Minutes of idle time after which a proxy kept for running clients exits. */
export const KEEP_MINUTES = 60

/** Returns the question; null if no client uses this process. */
export function quitQuestion(clients: number, purpose: 'quit' | 'update'): QuitQuestion | null {
  if (clients === 0) return null
  const message = clients === 1 ? '1 running session uses the proxy.' : `${clients} running sessions use the proxy.`
  if (purpose === 'update') {
    return {
      message,
      detail: 'During the update they cannot reach the API. Claude Code retries for some minutes.',
      buttons: ['Update now', 'Later'],
      answers: ['quit', 'stay'],
    }
  }
  return {
    message,
    detail: `Without it they cannot reach the API. The proxy can keep running without a window; it stops after ${KEEP_MINUTES} minutes without use.`,
    buttons: ['Keep the proxy running', 'Quit anyway', 'Cancel'],
    answers: ['keep', 'quit', 'stay'],
  }
}

/** Returns the message box of a question. Closing it changes nothing. */
export function questionBox({ message, detail, buttons, answers }: QuitQuestion) {
  const cancelId = answers.indexOf('stay')
  return { type: 'question' as const, message, detail, buttons: [...buttons], defaultId: 0, cancelId, noLink: true }
}

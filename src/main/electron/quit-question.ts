/** What is asked before the proxy goes away under running clients. */
export interface QuitQuestion {
  readonly message: string
  readonly detail: string
  readonly buttons: readonly string[]
  readonly answers: readonly QuitAnswer[]
}
/** keep: the window goes, the proxy goes on being served. */
export type QuitAnswer = 'keep' | 'quit' | 'stay'

/** Minutes after which what was kept for running clients ends by itself, when none used it. */
export const KEEP_MINUTES = 60

/** The question; null: no client needs this process, so there is nothing to ask. */
export function quitQuestion(clients: number, purpose: 'quit' | 'update'): QuitQuestion | null {
  if (clients === 0) return null
  const message =
    clients === 1 ? '1 running session goes through Aspy.' : `${clients} running sessions go through Aspy.`
  if (purpose === 'update') {
    return {
      message,
      detail: 'While Aspy updates they cannot reach the API; they try again by themselves for some minutes.',
      buttons: ['Update now', 'Later'],
      answers: ['quit', 'stay'],
    }
  }
  return {
    message,
    detail: `Without its proxy they cannot reach the API. It can go on without a window; it ends when nobody has used it for ${KEEP_MINUTES} minutes.`,
    buttons: ['Keep the proxy running', 'Quit all the same', 'Cancel'],
    answers: ['keep', 'quit', 'stay'],
  }
}

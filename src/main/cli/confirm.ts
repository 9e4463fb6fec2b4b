import { createInterface } from 'node:readline/promises'
import { AspyError } from '../../shared/contract/errors.ts'
import { sayAside } from './wrap.ts'

/** True if a person can be asked: both the question and the answer use a terminal. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** Asks a question on the terminal. Only `y` and `yes` count as consent; Ctrl+C and the end of input do not. */
export async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const left = new Promise<string>((resolve) => {
    terminal.once('SIGINT', () => terminal.close()).once('close', () => resolve('\n'))
  })
  try {
    const answer = await Promise.race([left, terminal.question(`${question} [y/N] `)])
    if (answer === '\n') process.stderr.write(answer)
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}

/**
 * Returns whether a person agrees to what cannot be undone, or has before. If not, says that nothing was done, with exit code
 * 1. Throws `bad_input` with the reason if there is nobody to ask.
 */
export async function agrees(
  hasAgreed: boolean | undefined,
  question: string,
  did: string,
  unasked: string,
): Promise<boolean> {
  if (hasAgreed === true) return true
  if (!canAsk()) throw new AspyError('bad_input', unasked)
  if (await confirm(question)) return true
  sayAside(`Nothing was ${did}.`)
  process.exitCode = 1
  return false
}

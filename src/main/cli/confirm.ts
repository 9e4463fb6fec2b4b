import { createInterface } from 'node:readline/promises'

/** True if a person can be asked: both the question and the answer use a terminal. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

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

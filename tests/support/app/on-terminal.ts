import { spawn } from 'node:child_process'
import { ASPY_ENTRY } from './aspy-command.ts'

/** Gives a command a terminal. */
export const SCRIPT = '/usr/bin/script'

/** Runs a command on a pseudo-terminal and types an answer to each question. Returns all that was on the screen. */
export async function onTerminal(args: readonly string[], ...answers: readonly string[]): Promise<string> {
  const command = [process.execPath, ASPY_ENTRY, ...args].join(' ')
  const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' },
  })
  let screen = ''
  let answered = 0
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString()
    const asked = screen.split('[y/N]').length - 1
    for (; answered < asked; answered += 1) child.stdin.write(`${answers[answered] ?? 'no'}\n`)
  })
  await new Promise((resolve) => child.once('close', resolve))
  return screen
}

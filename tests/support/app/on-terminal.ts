import { spawn } from 'node:child_process'
import { ASPY_ENTRY } from './aspy-command.ts'

/** Gives a command a terminal. */
export const SCRIPT = '/usr/bin/script'

/** Runs a command on a pseudo-terminal and types an answer once it asks. Returns all that was on the screen. */
export async function onTerminal(args: readonly string[], answer: string): Promise<string> {
  const command = [process.execPath, ASPY_ENTRY, ...args].join(' ')
  const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' },
  })
  let screen = ''
  let isAnswered = false
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString()
    if (isAnswered || !screen.includes('[y/N]')) return
    isAnswered = true
    child.stdin.write(`${answer}\n`)
  })
  await new Promise((resolve) => child.once('close', resolve))
  return screen
}

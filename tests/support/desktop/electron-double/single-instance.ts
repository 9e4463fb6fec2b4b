import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** Data that a second start passes to the first. */
export interface SecondStart {
  readonly argv: readonly string[]
  readonly cwd: string
}

/** One app a folder of user data: a file holds the lock, a socket takes what a second start hands over. */
export interface InstanceLock {
  /** False: another has it; what was handed over arrives before `handedOver` resolves. */
  readonly isHeld: boolean
  readonly handedOver: Promise<void>
  release(): void
}

export function lockInstance(userData: string, onSecond: (start: SecondStart) => void): InstanceLock {
  const name = createHash('sha256').update(userData).digest('hex').slice(0, 20)
  // Paths of sockets are short; folders of tests are not.
  const socket = join(tmpdir(), `aspy-double-${name}.sock`)
  const lock = join(userData, 'double.lock')
  if (!take(lock)) {
    const start: SecondStart = { argv: process.argv, cwd: process.cwd() }
    const handedOver = new Promise<void>((resolve, reject) => {
      const line = connect(socket)
        .once('error', reject)
        .once('close', () => resolve())
      line.resume()
      line.end(JSON.stringify(start))
    })
    return { isHeld: false, handedOver, release: () => undefined }
  }
  rmSync(socket, { force: true })
  const server: Server = createServer({ allowHalfOpen: true }, (line) => {
    void text(line).then((json) => {
      line.end()
      onSecond(JSON.parse(json) as SecondStart)
    })
  })
  server.listen(socket)
  const release = () => {
    server.close()
    rmSync(lock, { force: true })
    rmSync(socket, { force: true })
  }
  return { isHeld: true, handedOver: Promise.resolve(), release }
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    if (isAlive(Number(readFileSync(lock, 'utf8')))) return false
    // Its owner was killed.
    rmSync(lock)
    return take(lock)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

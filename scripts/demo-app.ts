import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Addresses of a running app, as `aspy serve --json` prints them. */
export interface Ready {
  readonly proxy: string
  readonly app: string
  readonly token: string
  readonly data: string
}

/** Starts the app from source with demo data, and returns its addresses and a function that ends it. */
export async function startDemoApp(upstream?: string): Promise<{ readonly ready: Ready; stop(): Promise<void> }> {
  const child = spawn(
    process.execPath,
    [
      join(import.meta.dirname, '../src/main/cli/aspy.ts'),
      'serve',
      '--demo',
      '--json',
      '--no-open',
      '--port',
      '0',
      '--proxy-port',
      '0',
      ...(upstream === undefined ? [] : ['--upstream', upstream]),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const exited = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes('"ready"')) continue
    return {
      ready: JSON.parse(line) as Ready,
      async stop() {
        child.kill('SIGTERM')
        await exited
      },
    }
  }
  throw new Error('the app exited before it was ready')
}

import { execFileSync, spawn } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findRunningNote } from '../../../src/main/base/running-note.ts'
import { errorCode } from '../../../src/shared/error-text.ts'
import { ask } from '../../support/app/ask.ts'
import { aspy, ASPY_ENTRY } from '../../support/app/aspy-command.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

/** Opens a pipe that is full and that nobody reads. */
function openFullPipe(path: string): number {
  execFileSync('mkfifo', [path])
  const filled = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  for (const size of [4096, 1]) {
    try {
      for (;;) writeSync(filled, 'x'.repeat(size))
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') throw error
    }
  }
  return openSync(path, 'w')
}

test.skipIf(process.platform === 'win32')(
  'output that nobody reads holds up no client, no record and no end',
  async () => {
    using folder = makeTempFolder()
    const data = join(folder.path, 'data')
    const pipe = openFullPipe(join(folder.path, 'pipe'))
    const ports = ['--port', '0', '--proxy-port', '0', '--tunnel-port', '0']
    const child = spawn(
      process.execPath,
      [ASPY_ENTRY, 'serve', ...ports, '--upstream', 'http://127.0.0.1:9', '--data', data],
      {
        env: { PATH: process.env['PATH'], HOME: folder.path },
        stdio: ['ignore', pipe, pipe],
      },
    )
    closeSync(pipe)
    using _child = { [Symbol.dispose]: () => child.kill() }
    const ended = new Promise((resolve) => child.once('exit', resolve))
    await until('it serves', () => Promise.resolve(findRunningNote(data) !== null))
    const port = findRunningNote(data)?.ports.proxy
    const proxy = `http://127.0.0.1:${port}/${readFileSync(join(data, 'path-secret'), 'utf8').trim()}`
    // Each is a fault that is logged.
    for (const prompt of ['one', 'two']) expect((await ask(proxy, { prompt })).status).toBe(502)
    expect((await aspy(['status', '--data', data])).code).toBe(0)
    expect(await aspy(['stop', '--data', data])).toMatchObject({ code: 0 })
    child.kill()
    expect(await ended).toBe(0)
  },
)

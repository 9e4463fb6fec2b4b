import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { aspy } from '../../support/app/aspy-command.ts'
import { startKept } from '../../support/keeper/kept-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

test('a report names versions, settings and kinds of errors, and holds no text, path, address or value', async () => {
  using folder = makeTempFolder('aspy-report-')
  await using upstream = await startMessagesUpstream(() => ({
    status: 529,
    error: { type: 'overloaded_error', message: 'the walrus is busy' },
  }))
  writeFileSync(join(folder.path, 'config.toml'), '[guard]\nday_usd = 4321.5\n')
  const asRun = async (...flags: string[]) => aspy(['report', '--data', folder.path, ...flags])
  const idle = await asRun()
  expect(idle).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(idle.stdout)).toMatchObject({ app: 'not running', changed_settings: ['guard.day_usd (file)'] })

  await using kept = await startKept(folder.path, upstream.url)
  await (await ask(kept.proxy, { prompt: 'where is the walrus', session: 's-1' })).text()
  const out = join(folder.path, 'report.json')
  await until('the error is reported', async () => (await asRun()).stdout.includes('overloaded_error'))
  const { code, stdout, stderr } = await asRun('--out', out)
  expect([code, stderr]).toEqual([0, `Wrote ${out}.\n`])
  expect(readFileSync(out, 'utf8')).toBe(stdout)
  expect(JSON.parse(stdout)).toMatchObject({
    aspy: expect.stringMatching(/^\d+\.\d+/),
    node: process.version,
    changed_settings: expect.arrayContaining(['guard.day_usd (file)']),
    app: {
      health: { recorder: 'running', exchanges_seen: 1 },
      last_errors: [{ origin: 'upstream', type: 'overloaded_error', status: 529 }],
    },
  })
  for (const secret of ['walrus', '4321', folder.path, upstream.url, '127.0.0.1', kept.token])
    expect(stdout).not.toContain(secret)
  expect(await asRun('--out', out)).toMatchObject({ code: 2, stderr: expect.stringContaining('it exists already') })
})

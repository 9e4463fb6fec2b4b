import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { status, versionText } from './status.ts'

test('the status says how an update takes the place of what runs', () => {
  expect(versionText('0.1.0', '0.1.0')).toBe('0.1.0')
  expect(versionText('0.1.0', '0.1.1')).toMatch(/^0\.1\.0; .*0\.1\.1.*aspy restart/)
})

test('the status fits a narrow terminal, its texts below each other', async () => {
  const [{ columns }, { exitCode }] = [process.stdout, process]
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    process.stdout.columns = 50
    await status({ dataDir: '/none/a folder whose name has more words than a line' }, {})
    expect(said.mock.calls.join('\n')).toMatch(
      /\nData {10}\/none\/a folder whose name has more\n {14}words than a line\n$/,
    )
  } finally {
    process.stdout.columns = columns
    process.exitCode = exitCode
    said.mockRestore()
  }
})

test('the status, which prompts of shells ask for, loads neither schemas nor the parser of the other commands', () => {
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    const { status } = await import(${JSON.stringify(join(import.meta.dirname, 'status.ts'))})
    await status({ dataDir: '/none' }, { json: true })
    process.exitCode = 0
    console.log(JSON.stringify(loaded.filter((url) => /node_modules|undici/.test(url))))`
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect(
    said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toMatchObject([{ running: false }, []])
})

import { expect, test, vi } from 'vitest'
import { status, versionText } from './keeper.ts'

test('the status says how an update takes the place of what runs', () => {
  expect(versionText('0.1.0', '0.1.0')).toBe('0.1.0')
  expect(versionText('0.1.0', '0.1.1')).toMatch(/^0\.1\.0; .*0\.1\.1.*aspy restart/)
})

test('the status fits a narrow terminal, its texts below each other', async () => {
  const [{ columns }, { exitCode }] = [process.stdout, process]
  const said = vi.spyOn(console, 'log').mockReturnValue()
  try {
    process.stdout.columns = 50
    await status({ dataDir: '/none/a folder whose name has more words than a line' }, {})
    expect(said.mock.calls.join('\n')).toMatch(
      /\nData {10}\/none\/a folder whose name has more\n {14}words than a line$/,
    )
  } finally {
    process.stdout.columns = columns
    process.exitCode = exitCode
    said.mockRestore()
  }
})

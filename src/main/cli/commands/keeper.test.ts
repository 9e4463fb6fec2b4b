import { expect, test } from 'vitest'
import { versionText } from './keeper.ts'

test('the status says how an update takes the place of what runs', () => {
  expect(versionText('0.1.0', '0.1.0')).toBe('0.1.0')
  expect(versionText('0.1.0', '0.1.1')).toMatch(/^0\.1\.0; .*0\.1\.1.*aspy restart/)
})

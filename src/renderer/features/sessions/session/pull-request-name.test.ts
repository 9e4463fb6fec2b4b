import { expect, test } from 'vitest'
import { pullRequestName } from './pull-request-name.ts'

test('pull requests are named by repository and number on any host, and other addresses stay unchanged', () => {
  expect(pullRequestName('https://github.com/ada/engine/pull/41')).toBe('ada/engine#41')
  expect(pullRequestName('https://git.example.org/team/sub/engine/-/merge_requests/7')).toBe('team/sub/engine#7')
  expect(pullRequestName('https://example.com/changes/9')).toBe('https://example.com/changes/9')
})

import { expect, test } from 'vitest'
import { isDirect } from './network.ts'

test.each([
  ['', 'git.example', false],
  ['other.example, git.example', 'git.example', true],
  ['other.example git.example', 'notgit.example', false],
  ['GIT.example', 'git.example', true],
  ['other.example,.example', 'git.example', true],
  ['*.example', 'git.example', true],
  ['git.example', 'deep.git.example', true],
  ['other.example,*', 'git.example', true],
  ['git.example:8443', 'git.example', false],
  ['git.example:8443,git.example:443', 'git.example', true],
])('NO_PROXY "%s" names %s: %s', (noProxy, host, isNamed) => {
  expect(isDirect(noProxy, host, 443)).toBe(isNamed)
})

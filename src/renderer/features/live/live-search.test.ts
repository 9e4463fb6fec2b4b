import { expect, test } from 'vitest'
import { EVENT_KINDS } from '../../../shared/event.ts'
import { GROUP_NAMES, kindsOf, shownGroups, toggledGroup } from './live-search.ts'

test('every kind of event belongs to a group: none can be hidden for good', () => {
  expect([...kindsOf(GROUP_NAMES)].sort()).toEqual([...EVENT_KINDS].sort())
})

test('traffic is hidden until asked for; toggling twice gives the plain address back', () => {
  expect(shownGroups(undefined)).not.toContain('traffic')
  const shown = toggledGroup(undefined, 'traffic')
  expect(shownGroups(shown)).toEqual(GROUP_NAMES)
  expect(toggledGroup(shown, 'traffic')).toBeUndefined()
})

test('with the last group hidden nothing is shown, instead of the preset', () => {
  expect(toggledGroup('tools', 'tools')).toBe('none')
  expect(shownGroups('none')).toEqual([])
})

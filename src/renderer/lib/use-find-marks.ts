import { type RefObject, useEffect } from 'react'

/** Bounds the marks; more cannot be on screen. */
const MAX_MARKS = 2000
interface Marked {
  readonly element: HTMLElement | null
}

/** Name of the highlight, which the style sheet colors. */
const HIGHLIGHT = 'found'

/**
 * Marks the matches of a pattern (with the flag `g`) in the text of a list, and updates them when the list changes. The
 * marks are ranges of the browser (CSS Custom Highlight API), so no element is added and text is never cut. A browser
 * without them shows the text unmarked.
 */
export function useFindMarks(list: RefObject<Marked | null>, pattern: RegExp | null): void {
  useEffect(() => {
    const root = list.current?.element ?? null
    if (root === null || pattern === null || !('highlights' in CSS)) return
    let frame = 0
    const mark = () => {
      frame = 0
      CSS.highlights.set(HIGHLIGHT, new Highlight(...rangesOf(root, pattern)))
    }
    const later = () => {
      if (frame === 0) frame = requestAnimationFrame(mark)
    }
    mark()
    const observer = new MutationObserver(later)
    observer.observe(root, { childList: true, subtree: true, characterData: true })
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      CSS.highlights.delete(HIGHLIGHT)
    }
  }, [list, pattern])
}

/** Finds words in the text of an element. */
export function rangesOf(root: HTMLElement, pattern: RegExp): Range[] {
  const ranges: Range[] = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null && ranges.length < MAX_MARKS; node = walker.nextNode()) {
    for (const { 0: word, index } of (node.nodeValue ?? '').matchAll(pattern)) {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      ranges.push(range)
    }
  }
  return ranges
}

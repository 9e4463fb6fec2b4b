import type { Writer } from '../../shared/columns/cell-writer.ts'
import { modelName } from '../../shared/vendors.ts'
import { visibleText } from '../../shared/visible-text.ts'
import { columnDollars } from './axis.ts'
import { formatClock, formatCount, formatDuration, formatMoment, formatShare, projectName } from './format.ts'
import { viewerNumber } from './viewer-locale.ts'

/** The window writes short figures, and relative times. */
export const WINDOW_WRITER: Writer = {
  unknown: '–',
  texts: {
    text: visibleText,
    moment: (iso) => formatMoment(iso),
    clock: formatClock,
    model: modelName,
    project: projectName,
  },
  numbers: {
    count: (count) => formatCount(Math.round(count)),
    exact: (count) => viewerNumber(count),
    duration: formatDuration,
    share: formatShare,
  },
  money: columnDollars,
}

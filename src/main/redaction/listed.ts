/** Lists what is written in one line: a list of anchors would take a line for each. */
export const listed = (text: string): readonly string[] => text.split('|')

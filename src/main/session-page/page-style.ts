/** The style of a page. Its hash is the only thing that the page's policy allows. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --line: #8884; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h3 { font-size: .9rem; margin: 0 0 .3rem; } h4 { margin: .5rem 0; }
small { font-weight: normal; opacity: .75; }
p { white-space: pre-wrap; margin: .4rem 0; }
article { border-left: 3px solid var(--line); padding: .3rem .8rem; margin: .6rem 0; }
article.you { border-color: #3b82f6; } article.answer { border-color: #c96442; } article.failed { border-color: #dc2626; }
pre { background: #8881; padding: .5rem; overflow: auto; white-space: pre-wrap; font-size: .85rem; margin: .3rem 0; }
dl { margin: 0; } dt { font-size: .8rem; opacity: .75; } dd { margin: 0; }
ins { background: #16a34a33; text-decoration: none; } del { background: #dc262633; text-decoration: none; }
table { border-collapse: collapse; } td, th { border: 1px solid var(--line); padding: .2rem .6rem; text-align: right; }
th:first-child, td:first-child { text-align: left; }
svg { width: 100%; height: 28px; } rect { fill: #3b82f6; }
.cut { font-style: italic; opacity: .75; }
`

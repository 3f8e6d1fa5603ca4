/** The style of the page, by which it is told to browsers: no other one counts. */
export const STYLE = `
:root{color-scheme:light dark;--back:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d5dae0;--block:#f4f6f8;--link:#0a5bb5;
--get:#0a5bb5;--post:#1a7037;--put:#8a5a00;--patch:#8a5a00;--delete:#b3261e}
@media (prefers-color-scheme:dark){:root{--back:#14171b;--ink:#e4e8ec;--soft:#9aa5b1;--line:#333a42;--block:#1d2228;--link:#7db4f5;
--get:#7db4f5;--post:#74c98c;--put:#e0b25a;--patch:#e0b25a;--delete:#f28b82}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--back);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:2px}
a:focus-visible,summary:focus-visible,pre:focus-visible{outline:2px solid var(--link);outline-offset:2px}
code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--block);border:1px solid var(--line);border-radius:6px;padding:.75rem;overflow-x:auto;white-space:pre-wrap}
pre code{font-size:1em}
small{color:var(--soft);font-size:.8125em}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 1rem}
h2{font-size:1.375rem;margin:0 0 1rem;padding-bottom:.25rem;border-bottom:2px solid var(--line)}
h2::first-letter,nav>ul>li>a::first-letter{text-transform:uppercase}
h3{font-size:1rem;margin:0 0 .5rem;font-weight:600}
h3 a{color:inherit;text-decoration:none}
h3 a:hover{text-decoration:underline}
h4{font-size:.875rem;margin:1rem 0 .25rem}
p{margin:.5rem 0}
.skip{position:absolute;left:-999px}
.skip:focus{left:1rem;top:1rem;background:var(--back);padding:.5rem;z-index:1}
main{padding:1.5rem 1rem;max-width:60rem}
section{margin-top:3rem}
article{margin:0 0 2rem;padding:0 0 2rem;border-bottom:1px solid var(--line)}
article:target{border-left:3px solid var(--link);padding-left:1rem}
.summary{font-size:1.0625rem}
.method{display:inline-block;min-width:3.75rem;font:600 .75rem/1.5 ui-monospace,Menlo,Consolas,monospace}
.get{color:var(--get)}.post{color:var(--post)}.put{color:var(--put)}.patch{color:var(--patch)}.delete{color:var(--delete)}
.facts{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin:.5rem 0;font-size:.875rem}
.facts div{display:flex;gap:.375rem}
.facts dt{color:var(--soft)}
.facts dd{margin:0}
details,.row{margin:.5rem 0;border:1px solid var(--line);border-radius:6px;padding:0 .75rem}
.row{padding:.5rem .75rem;font-size:.875rem}
.row b code,.row b small{font-weight:400}
summary{cursor:pointer;padding:.5rem 0;font-weight:600;font-size:.875rem}
summary small,summary code,summary a{font-weight:400}
details>:last-child{margin-bottom:.75rem}
ul.fields{list-style:none;margin:.25rem 0;padding:0}
ul.fields li{padding:.375rem 0;border-top:1px solid var(--line);font-size:.9375rem}
ul.fields>li:first-child{border-top:0}
ul.fields ul.fields,.choices>div{margin-left:.25rem;padding-left:.75rem;border-left:2px solid var(--line)}
.choices>div{margin-top:.5rem}
ul.fields p{margin:.125rem 0;color:var(--soft);font-size:.875rem}
.name{font-weight:600}
.type{font-size:.875rem}
nav{padding:1rem;border-bottom:1px solid var(--line);background:var(--block)}
nav ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.5rem 1rem}
nav ul ul{display:none}
nav a{text-decoration:none}
nav>ul>li>a{display:inline-block}
nav a:hover{text-decoration:underline}
.home{display:none}
@media (min-width:64rem){
body{display:grid;grid-template-columns:22rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;border-bottom:0;border-right:1px solid var(--line);padding:1.5rem 1rem}
nav ul,nav ul ul{display:block}
nav>ul>li{margin-bottom:1rem}
nav>ul>li>a{font-weight:600}
nav ul ul a{display:flex;gap:.25rem;color:var(--ink);font-size:.8125rem;line-height:1.4;padding:.125rem 0}
nav .method{min-width:3.25rem;flex:none;font-size:.6875rem;line-height:1.7}
.home{display:block;margin:0 0 1rem;font-weight:700}
main{padding:2rem 2.5rem}
}
@media print{nav,.skip{display:none}}
`;

import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref, useId, useTemplateRef, watch } from 'vue';

/** A picture by Mermaid, which is loaded only where a page has one. It is drawn anew when the theme changes. */
export const Diagram = defineComponent({
  props: { label: { type: String, required: true } },
  setup(props, { slots }) {
    const { isDark } = useData();
    const id = `diagram-${useId()}`;
    const source = useTemplateRef<HTMLElement>('source');
    const svg = ref('');
    const draw = async () => {
      const drawn = isDark.value;
      const picture = await render(id, source.value?.textContent ?? '', drawn);
      if (drawn === isDark.value) svg.value = picture;
    };
    onMounted(draw);
    watch(isDark, draw);
    return () =>
      h('figure', { class: 'diagram', tabindex: 0, 'aria-label': props.label }, [
        svg.value !== '' &&
          h('div', { class: 'picture', role: 'img', 'aria-label': props.label, innerHTML: svg.value }),
        h('div', { class: { source: true, drawn: svg.value !== '' }, ref: 'source' }, slots.default?.()),
      ]);
  },
});

async function render(id: string, source: string, dark: boolean): Promise<string> {
  const { default: mermaid } = await import('mermaid');
  mermaid.initialize({
    startOnLoad: false,
    theme: dark ? 'dark' : 'neutral',
    themeVariables: { clusterBkg: 'transparent', edgeLabelBackground: dark ? '#1b1b1f' : '#ffffff' },
    fontFamily: getComputedStyle(document.body).fontFamily,
  });
  const { svg } = await mermaid.render(id, source.trim());
  return readable(svg);
}

/** In a narrow place a picture becomes smaller only as far as its texts can be read. From there on one scrolls. */
function readable(svg: string): string {
  const [, natural = '0'] = /max-width: ([\d.]+)px/.exec(svg) ?? [];
  return svg.replace('max-width:', `min-width: ${Math.round(Number(natural) * SMALLEST)}px; max-width:`);
}

const SMALLEST = 0.65;

import { useData } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { h } from 'vue';

import sealing from '../../sealing.svg?raw';
import Diagram from './Diagram.vue';
import LivePage from './LivePage.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  Layout: {
    setup() {
      const { frontmatter } = useData();
      return () =>
        h(DefaultTheme.Layout, null, {
          'home-hero-actions-after': () => h('p', { class: 'facts' }, frontmatter.value.facts),
          'home-hero-image': chartOfHome,
        });
    },
  },
  enhanceApp({ app }) {
    app.component('Diagram', Diagram);
    app.component('LivePage', LivePage);
  },
};

function chartOfHome() {
  return h('figure', { class: 'chart', innerHTML: sealing.replace(/<style>[^]*?<\/style>/, '') });
}
